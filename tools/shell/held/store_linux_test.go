package held

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/sourcegraph/conc/pool"
)

// TestStoresSideBySide: runs that begin and end at the same time, and remove what others
// have left, never take the folder of one that lives.
func TestStoresSideBySide(t *testing.T) {
	base := filepath.Join(realDir(t), "flow-held")
	runs := pool.New().WithErrors()
	for range 8 {
		runs.Go(func() error {
			for range 60 {
				s, err := newStore(base, nil)
				if err != nil {
					return err
				}
				if _, err := os.Lstat(filepath.Join(s.path, "file")); err != nil {
					return err
				}
				if err := s.remove(); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := runs.Wait(); err != nil {
		t.Error(err)
	}
}

// TestStoreElsewhere: a temporary folder on the file system of the workspace is enough, and no other folder
// is made to be looked at.
func TestStoreElsewhere(t *testing.T) {
	f := newFixture(t, SpaceOptions{})
	if device("/tmp") != device(f.root) {
		t.Skip("the workspace is on another file system than /tmp")
	}
	if _, err := os.Lstat(filepath.Join(f.home, ".local")); !os.IsNotExist(err) {
		t.Errorf("~/.local was made: %v", err)
	}
}
