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
		{"white space is that of ECMA", `^\s$`, []string{" ", "\u00a0", "\ufeff", "\u2028", "\v"}, []string{"x", "\u200b"}},
		{"and in a class", `^[\sx]$`, []string{"\u00a0", "x"}, []string{"y"}},
		{"what is none", `^\S$`, []string{"x", "\u200b", "é"}, []string{"\u00a0", "\u3000"}},
		{"and in a class with others", `^[\S ]$`, []string{"x", " "}, []string{"\u3000"}},
		{"slashes", `^a\/b$`, []string{"a/b"}, []string{"ab"}},
		{"control characters", `^\cA\cz$`, []string{"\x01\x1a"}, []string{"cAcz"}},
		{"by number", `^\u00e9\u{1F600}$`, []string{"é😀"}, []string{"e"}},
		{"pairs of surrogates", `^\uD83D\uDE00$`, []string{"😀"}, []string{"x"}},
		{"letters of any language", `^\p{L}+\p{Script=Greek}$`, []string{"éα"}, []string{"1α", "éa"}},
		{"a dot is no line break", `^.$`, []string{"x", "\v"}, []string{"\n", "\r", "\u2028"}},
		{"nothing", `[]`, nil, []string{"", "]"}},
		{"anything", `^[^]$`, []string{"\n", "]"}, []string{""}},
		{"brackets in a class", `^[[:a]+$`, []string{"[:a"}, []string{"b"}},
		{"no class of POSIX", `^[[:alpha:]]$`, []string{"a]", "[]"}, []string{"z"}},
		{"a backspace", `^[\b]$`, []string{"\b"}, []string{"b"}},
		{"a name", `^(?<year>\d{4})$`, []string{"2026"}, []string{"26"}},
		{"NUL", `^\0$`, []string{"\x00"}, []string{"0"}},
		{"the middle", `b`, []string{"abc"}, []string{"ac"}},
		{"the end is the end", `a$`, []string{"a"}, []string{"a\n"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			schema, err := Compile(map[string]any{"pattern": test.pattern}, Options{})
			if err != nil || schema.Unchecked() != nil {
				t.Fatal(err, schema.Unchecked())
			}
			for _, s := range test.fit {
				if p := schema.Validate(s); p != nil {
					t.Errorf("%q: %v (%s)", s, p, fromECMA(test.pattern))
				}
			}
			for _, s := range test.not {
				if schema.Validate(s) == nil {
					t.Errorf("%q fits (%s)", s, fromECMA(test.pattern))
				}
			}
		})
	}
}

func TestUncheckedPatterns(t *testing.T) {
	tests := map[string]string{
		`^(?!x)`:    "looks around",
		`(?<!a)b`:   "looks around",
		`(a)\1`:     "refers back",
		`a{2000}`:   "repeat",
		`\p{Xyzzy}`: "character class",
		`(`:         "missing",
	}
	for pattern, want := range tests {
		schema, err := Compile(map[string]any{"pattern": pattern}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := joined(schema.Unchecked()); !strings.Contains(got, want) || !strings.HasPrefix(got, "/pattern: ") {
			t.Errorf("%s: got %q, want %q in it", pattern, got, want)
		}
		if p := schema.Validate("anything"); p != nil {
			t.Errorf("%s is checked: %v", pattern, p)
		}
	}
}
