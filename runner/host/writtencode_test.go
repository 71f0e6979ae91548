package host

import (
	"strings"
	"testing"
)

// A hostile file's script ends no program that only looks at it.
func TestExecutedByDeepScript(t *testing.T) {
	if found := executedBy(strings.Repeat("((", 300_000)); found != nil {
		t.Errorf("found %+v", found)
	}
	if found := executedBy("python3 made.py\n"); len(found) != 1 {
		t.Errorf("found %+v", found)
	}
}
