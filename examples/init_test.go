package examples

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestInit begins with each kind of workflow in an empty folder, and does what it is
// told: it runs at once, without a key, has no mistakes, and passes its test.
func TestInit(t *testing.T) {
	for _, kind := range []string{"empty", "docs-gen", "codebase-analysis", "code-review", "fix-until-green"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			told := succeeds(t, dir, "init", kind, "--github").stdout
			_, command, _ := strings.Cut(strings.TrimSpace(told), "next: flow ")
			code := 0
			if kind == "code-review" { // which finds what is blocking
				code = 1
			}
			if f := flow(t, dir, strings.Fields(command)...); f.stdout == "" || f.code != code {
				t.Errorf("flow %s: exit code %d, printed %q\n%s", command, f.code, f.stdout, f.stderr)
			}
			succeeds(t, dir, "validate", strings.Fields(command)[1])
			succeeds(t, dir, "test")
			for line := range strings.Lines(told) {
				name, written := strings.CutPrefix(strings.TrimSpace(line), "wrote ")
				if _, err := os.Stat(dir + "/" + name); written && err != nil {
					t.Error(err)
				}
			}
		})
	}
	if help := succeeds(t, ".", "init", "--help").stdout; !slices.Contains(strings.Fields(help), "fix-until-green") {
		t.Errorf("the help does not list the kinds:\n%s", help)
	}
}
