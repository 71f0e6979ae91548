package files

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/testkit"
)

const cutNote = "Not all patterns of .gitignore were read: they are too many, or too long."

// TestIgnoreBounds has what is beyond a bound in front of, and behind, what is
// read.
func TestIgnoreBounds(t *testing.T) {
	stars := strings.Repeat("*a", maxIgnoreStars)
	tests := []struct {
		name   string
		ignore string
		want   string
	}{
		{"as many as can be", strings.Repeat("x\n", maxIgnores-1) + "f\n", "No file fits \"f\"; \"**/f\" looks in all folders."},
		{"too many", strings.Repeat("x\n", maxIgnores) + "f\n", "f\n" + cutNote},
		{"too large", "f\n" + strings.Repeat("#", maxIgnoreBytes), "No file fits \"f\"; \"**/f\" looks in all folders. " + cutNote},
		{"stars", stars + "\nf\n", "No file fits \"f\"; \"**/f\" looks in all folders."},
		{"too many stars", stars + "*\nf\n", "No file fits \"f\"; \"**/f\" looks in all folders. " + cutNote},
		{"many comments", strings.Repeat("# x\n\n", 2*maxIgnores) + "f\n", "No file fits \"f\"; \"**/f\" looks in all folders."},
	}
	for _, test := range tests {
		w := workspace(t, Options{Root: tree(t, map[string]string{".gitignore": test.ignore, "f": "x"})})
		if answer := call(t, w, "glob", args{"pattern": "f"}); answer.Content != test.want {
			t.Errorf("%s: got %q, want %q", test.name, answer.Content, test.want)
		}
	}
}

// TestIgnoreBomb has a hundred thousand patterns that are slow to match.
func TestIgnoreBomb(t *testing.T) {
	files := map[string]string{".gitignore": strings.Repeat("a*a*a*b\n", 100_000)}
	for i := range 500 {
		files[fmt.Sprintf("%s%d", strings.Repeat("a", 60), i)] = "needle\n"
	}
	w := workspace(t, Options{Root: tree(t, files)})
	took := testkit.CPUTime(func() {
		answer := call(t, w, "grep", args{"pattern": "needle"})
		if n := strings.Count(answer.Content, ":1: needle"); n != 500 {
			t.Errorf("found %d files", n)
		}
	})
	if took > time.Minute {
		t.Errorf("it took %v", took)
	}

	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	took = testkit.CPUTime(func() {
		if _, err := run(t, ctx, w, "glob", args{"pattern": "**"}); err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
	if took > 3*time.Second {
		t.Errorf("it went on for %v", took)
	}
}

// TestIgnoreMemory has a large .gitignore in each of many folders, one in the
// other.
func TestIgnoreMemory(t *testing.T) {
	files := make(map[string]string)
	for i := range 12 {
		files[strings.Repeat("d/", i)+".gitignore"] = strings.Repeat("x\n", maxIgnoreBytes/2)
	}
	w := workspace(t, Options{Root: tree(t, files)})
	ig := w.ignorer(t.Context(), w.path+strings.Repeat("/d", 11))
	if len(ig.patterns) != maxIgnores || ig.size > maxIgnoreBytes || !ig.cut {
		t.Errorf("%d patterns of %d bytes are held", len(ig.patterns), ig.size)
	}
	long := workspace(t, Options{Root: tree(t, map[string]string{
		".gitignore": strings.Repeat("/"+strings.Repeat("x/", 1<<10)+"\n", 400), "d/.gitignore": strings.Repeat(strings.Repeat("y/", 1<<10)+"\n", 400),
	})})
	if ig = long.ignorer(t.Context(), long.path+"/d"); ig.size > maxIgnoreBytes || !ig.cut {
		t.Errorf("%d bytes are held", ig.size)
	}
}
