package suite

import (
	"strings"
	"testing"
)

func TestLineDiff(t *testing.T) {
	for _, test := range []struct {
		name, before, after, want string
		most                      int
	}{
		{"the same", "a\n", "a\n", "", 10},
		{"a line", "a\nb\nc", "a\nx\nc", "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n", 10},
		{"from nothing", "", "a", "@@ -0,0 +1,1 @@\n+a\n", 10},
		{"an end", "a", "a\n", "+ a line break at the end\n", 10},
		{"no end", "a\n", "a", "- a line break at the end\n", 10},
		{"too many", "", "a\nb\nc\nd", "@@ -0,0 +1,4 @@\n+a\n… 3 more lines\n", 2},
	} {
		if got := lineDiff(test.before, test.after, test.most); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
	if got := lineDiff(strings.Repeat("a\n", 10_000), strings.Repeat("b\n", 10_000), 60); strings.Count(got, "\n") != 61 {
		t.Errorf("%d lines", strings.Count(got, "\n"))
	}
}
