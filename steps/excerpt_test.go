package steps

import (
	"testing"
	"unicode/utf8"
)

func TestEnds(t *testing.T) {
	tests := []struct {
		name, text string
		most       int
		want       string
	}{
		{"short", "abc", 3, "abc"},
		{"long", "abcdefgh", 4, "ab\n… 4 bytes left out\ngh"},
		{"between characters", "äöüäöü", 6, "ä\n… 8 bytes left out\nü"},
		{"empty", "", 4, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := ends(tt.text, tt.most)
			if got != tt.want || !utf8.ValidString(got) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestFirstLine(t *testing.T) {
	for text, want := range map[string]string{"": "", "one": "one", "one\ntwo\n": "one"} {
		if got := firstLine(text); got != want {
			t.Errorf("first line of %q is %q, want %q", text, got, want)
		}
	}
}
