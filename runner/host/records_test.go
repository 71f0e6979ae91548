package host

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/a-seed-11b9befa/flow/runner/journal"
)

// TestRecordsBeside: the runs beside a run outside of .flow/runs are found, whatever the folder around
// them is called.
func TestRecordsBeside(t *testing.T) {
	for _, test := range []struct {
		around string
		want   bool
	}{
		{"results", true},
		{"my.flow/runs", true},
		{".flow/runs", false}, // which the policy knows
	} {
		around := filepath.Join(t.TempDir(), filepath.FromSlash(test.around))
		other := filepath.Join(around, "zz")
		if err := os.MkdirAll(other, 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(other, journal.File), "")
		if found := slices.Contains(recordsBeside(filepath.Join(around, "own")), other); found != test.want {
			t.Errorf("%s: found is %t", test.around, found)
		}
	}
}
