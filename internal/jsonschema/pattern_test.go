package jsonschema

import (
	"strings"
	"testing"
)

func TestPatterns(t *testing.T) {
	tests := []struct {
		name, pattern string
		fit, not      []string
	}{
		{"digits are those of ASCII", `^\d+$`, []string{"12"}, []string{"", "٣"}},
		{"words, too", `^\w+$`, []string{"a_1"}, []string{"é"}},
		{"slashes", `^a\/b$`, []string{"a/b"}, []string{"ab"}},
		{"not behind a backslash", `^\\u00e9$`, []string{`\u00e9`}, []string{"é"}},
		{"a name", `^(?<year>\d{4})$`, []string{"2026"}, []string{"26"}},
		{"the middle", `b`, []string{"abc"}, []string{"ac"}},
		{"the end is the end", `a$`, []string{"a"}, []string{"a\n"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			schema, err := Compile(map[string]any{"pattern": test.pattern}, Options{Strict: true})
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range test.fit {
				if p := schema.Validate(s); p != nil {
					t.Errorf("%q: %v", s, p)
				}
			}
			for _, s := range test.not {
				if schema.Validate(s) == nil {
					t.Errorf("%q fits", s)
				}
			}
		})
	}
}

func TestUncheckedPatterns(t *testing.T) {
	tests := map[string]string{
		`^(?!x)`:    "(?",
		`(?<!a)b`:   "(?",
		`(a)\1`:     `\1`,
		`a{2000}`:   "repeat",
		`\p{Xyzzy}`: "character class",
		`(`:         "missing",
	}
	for pattern, want := range tests {
		schema, err := Compile(map[string]any{"pattern": pattern}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = Compile(map[string]any{"pattern": pattern}, Options{Strict: true})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "/pattern: ") {
			t.Errorf("%s: got %v, want %q in it", pattern, err, want)
		}
		if p := schema.Validate("anything"); p != nil {
			t.Errorf("%s is checked: %v", pattern, p)
		}
	}
}
