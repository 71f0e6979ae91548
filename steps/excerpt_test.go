package steps

import (
	"strings"
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

func TestLines(t *testing.T) {
	tests := []struct{ text, first, last string }{
		{"", "", ""},
		{"one", "one", "one"},
		{"one\ntwo\n", "one", "two"},
		{"one\n  two  \n\n \n", "one", "two"},
	}
	for _, tt := range tests {
		if got := firstLine(tt.text); got != tt.first {
			t.Errorf("first line of %q is %q, want %q", tt.text, got, tt.first)
		}
		if got := lastLine(tt.text); got != tt.last {
			t.Errorf("last line of %q is %q, want %q", tt.text, got, tt.last)
		}
	}
}

func TestBrief(t *testing.T) {
	if got := brief("two\nlines\n"); got != "two\nlines" {
		t.Errorf("a short text is %q", got)
	}
	long := strings.Repeat("output\n", 100) + "exit code 3"
	if got := brief(long); got != "exit code 3" {
		t.Errorf("of a long text %q is left", got)
	}
	if got := brief(strings.Repeat("x", 10_000)); len(got) > 400 {
		t.Errorf("of a long line %d bytes are left", len(got))
	}
}
