package files

import (
	"strings"
	"testing"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/a-seed-11b9befa/flow/internal/testkit"
)

// TestCheckPattern shows what is let through. Within a class or after a backslash, and with braces in braces, a pattern has
// fewer alternatives than are counted.
func TestCheckPattern(t *testing.T) {
	tests := []struct {
		name    string
		pattern string
		want    string // part of the error; "": none
	}{
		{"none", "", ""},
		{"an ordinary one", "src/**/*.{ts,tsx}", ""},
		{"many groups", strings.Repeat("{a,b}", 9), ""},
		{"braces in braces", "{a,{b,c}}/{d,{e,{f,g}}}", ""},
		{"no valid one", "{a", `"{a" is not valid: *, **, ?, [a-z] and {a,b} are known`},
		{"a long one", strings.Repeat("a", maxPattern+1), "has 4097 bytes; the most is 4096"},
		{"one as long as can be", strings.Repeat("a", maxPattern), ""},
		{"a bomb", strings.Repeat("{a,a}", 45) + "b", "has too many alternatives: 45 groups in braces; the most is 10 groups that make 1000 paths together"},
		{"a small bomb", strings.Repeat("{a,a}", 10), "has too many alternatives: 10 groups"},
		{"a bomb in a brace", strings.Repeat("{a,", 45) + "a" + strings.Repeat("}", 45), "has too many alternatives"},
		{"empty alternatives", strings.Repeat("{,,,,,,,,,}", 4), "has too many alternatives: 4 groups"},
		{"one wide group", "{" + strings.Repeat("a,", maxAlternatives) + "a}", "has too many alternatives: 1 groups"},
		{"braces that are text", strings.Repeat(`[{]`, 11), "has too many alternatives"},
		{"stars", strings.Repeat("*a", maxStars) + "/" + strings.Repeat("*a", maxStars), ""},
		{"more stars", "a/" + strings.Repeat("*a", maxStars+1) + "/b", "has 65 stars in one part of the path; the most is 64"},
	}
	for _, test := range tests {
		err := checkPattern(test.pattern)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: got %v, want %q", test.name, err, test.want)
		}
	}
}

// TestPatternTakesShort matches the worst that is let through.
func TestPatternTakesShort(t *testing.T) {
	name := strings.Repeat(strings.Repeat("a", 255)+"/", 4) + strings.Repeat("a", 255)
	for _, pattern := range []string{
		"**/" + strings.Repeat("*{a,a}", 9) + "b",
		"**/{" + strings.Repeat("*a,", 40) + "*a}" + strings.Repeat("*a", 14) + "b",
		strings.Repeat("**/", 100) + strings.Repeat("*a", maxStars) + "b",
		strings.Repeat("**/*a*/", 100) + "b",
	} {
		if err := checkPattern(pattern); err != nil {
			t.Errorf("%.30s: %v", pattern, err)
			continue
		}
		took := testkit.CPUTime(func() {
			if doublestar.MatchUnvalidated(pattern, name) {
				t.Errorf("%.30s matches", pattern)
			}
		})
		t.Logf("%.30s: %v", pattern, took)
		if took > 5*time.Second {
			t.Errorf("%.30s took %v", pattern, took)
		}
	}
}

func TestPatternBombs(t *testing.T) {
	w := workspace(t, Options{Root: tree(t, map[string]string{strings.Repeat("a", 45): "a\n"})})
	bomb := strings.Repeat("{a,a}", 45) + "b"
	words := "has too many alternatives: 45 groups in braces; the most is 10 groups that make 1000 paths together"
	check(t, w, []example{
		{"glob", "glob", args{"pattern": bomb}, "the pattern " + words, true},
		{"include", "grep", args{"pattern": "a", "include": bomb}, "include " + words, true},
	})
}
