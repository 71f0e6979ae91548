package columns

import (
	"strings"
	"testing"
)

func TestColumns(t *testing.T) {
	tests := []struct {
		text    string
		columns int
		want    string
	}{
		{"short", 10, "short"},
		{"exactly ten", 11, "exactly ten"},
		{"too long for it", 8, "too lon…"},
		{"世界世界", 8, "世界世界"},
		{"世界世界", 7, "世界世…"},
		{"世界世界", 6, "世界…"},
		{"e\u0301te\u0301", 3, "e\u0301te\u0301"},
	}
	for _, tt := range tests {
		if got := Fit(tt.text, tt.columns); got != tt.want {
			t.Errorf("fit(%q, %d) = %q, want %q", tt.text, tt.columns, got, tt.want)
		}
	}
	if got := Pad("世界", 6); got != "世界  " {
		t.Errorf("pad: %q", got)
	}
	if got := Pad("longer", 3); got != "longer" {
		t.Errorf("pad: %q", got)
	}
}

func TestFold(t *testing.T) {
	for _, tt := range []struct {
		text    string
		columns int
		want    string
	}{
		{"one line", 20, "one line"},
		{"a text that is folded here and there", 16, "a text that is|  folded here|  and there"},
		{"a/very/long/word/that/stays whole", 14, "a/very/long/word/that/stays|  whole"},
		{"世界 世界 世界", 12, "世界 世界|  世界"},
		{"no room for anything at all", 9, "no room for anything at all"},
		{"any number of columns", 0, "any number of columns"},
		{"", 20, ""},
	} {
		if got := strings.Join(Fold(tt.text, tt.columns, 2), "|"); got != tt.want {
			t.Errorf("fold(%q, %d) = %q, want %q", tt.text, tt.columns, got, tt.want)
		}
	}
}
