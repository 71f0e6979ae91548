package files

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/sourcegraph/conc"
)

// TestPartsOfRepository: of writes side by side, one fails that would make a folder a
// repository of git together with the others.
func TestPartsOfRepository(t *testing.T) {
	for range 20 {
		w, err := New(Options{Root: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		var all conc.WaitGroup
		for _, name := range []string{"HEAD", "config", "objects/x", "refs/heads/x", "objects/info/y"} {
			all.Go(func() {
				real := filepath.Join(w.path, "docs", name)
				_, err := w.writePart(real, func() (bool, error) { return w.replace(t.Context(), real, "x", nil) })
				if err != nil && !errors.Is(err, errRepository) {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if isRepository(filepath.Join(w.path, "docs"), "") {
			t.Fatal("docs is a repository")
		}
		if _, err := os.Stat(filepath.Join(w.path, "docs/config")); err != nil {
			t.Error(err)
		}
	}
}
