package jsonschema

import "testing"

func TestFormats(t *testing.T) {
	tests := []struct {
		format   string
		fit, not []string
	}{
		{"date", []string{"2024-02-29"}, []string{"2026-02-29", "2026-2-1", "26-02-01", "2026-02-01T"}},
		{"time", []string{"23:20:50.52Z", "00:00:00+23:59"}, []string{"24:00:00Z", "12:00:00", "12:00:61Z", "12:00:00+1"}},
		{"date-time", []string{"2026-02-28T23:20:50Z"}, []string{"2026-02-28", "2026-02-30T00:00:00Z", "2026-02-28T23:20"}},
		{"email", []string{"a@b.org", "ada+x@example.org"}, []string{"", "a", "@b", "a@", "a b@c"}},
		{"ipv4", []string{"127.0.0.1"}, []string{"127.0.0", "256.0.0.1", "01.0.0.1", "::1"}},
		{"ipv6", []string{"::1", "::ffff:1.2.3.4"}, []string{"1::2::3", "127.0.0.1", "fe80::1%eth0"}},
		{"uuid", []string{"2EB8AA08-aa98-11ea-b4aa-73b441d16380"}, []string{"2eb8aa08aa9811eab4aa73b441d16380", "", "2eb8aa08-aa98-11ea-b4aa-73b441d1638g"}},
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
