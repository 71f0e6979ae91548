package examples

import (
	"strings"
	"testing"
)

// TestTests runs the tests of the examples as anybody would.
func TestTests(t *testing.T) {
	f := startWith(t, []string{"TMPDIR=" + t.TempDir()}, "..", flowProgram, "test", "examples")
	if f.code != 0 || !strings.Contains(f.stdout, " passed in ") {
		t.Errorf("exit code %d\n%s%s", f.code, f.stdout, f.stderr)
	}
}
