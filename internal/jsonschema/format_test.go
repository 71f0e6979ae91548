package jsonschema

import "testing"

func TestFormats(t *testing.T) {
	tests := []struct {
		format   string
		fit, not []string
	}{
		{"date", []string{"2024-02-29"}, []string{"2026-02-29", "2026-2-1", "26-02-01", "2026-02-01T"}},
		{"date-time", []string{"2026-02-28T23:20:50Z"}, []string{"2026-02-28", "2026-02-30T00:00:00Z", "2026-02-28T23:20"}},
		{"email", []string{"a@b.org", "ada+x@example.org"}, []string{"", "a", "@b", "a@", "a b@c"}},
		{"uri", []string{"https://example.org/a?b#c", "urn:a:b", "http://[::1]/"}, []string{"/a", "//a/b", "https://a b/", "https://[x]/"}},
		{"unheard-of", []string{"", "anything"}, nil},
	}
	for _, test := range tests {
		t.Run(test.format, func(t *testing.T) {
			schema, err := Compile(map[string]any{"format": test.format}, Options{Formats: true})
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
			if p := schema.Validate(1); p != nil {
				t.Errorf("a number: %v", p)
			}
		})
	}
}

// TestFormatIsANote shows that nothing is checked unless it is asked for.
func TestFormatIsANote(t *testing.T) {
	schema, err := Compile(map[string]any{"format": "date"}, Options{})
	if err != nil || schema.Validate("no date") != nil {
		t.Errorf("got %v", err)
	}
}
