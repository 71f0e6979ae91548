package columns

import "testing"

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
