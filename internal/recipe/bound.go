package recipe

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/sourcegraph/conc"
)

// maxRepository is how many bytes a fetch may bring: all files of a commit, of which the recipe
// is a folder.
var maxRepository int64 = 1 << 30

// bounded returns a context that ends when a folder has more than maxRepository, while a server
// fills it. The caller calls stop.
func bounded(ctx context.Context, dir string) (within context.Context, stop func()) {
	const often = 100 * time.Millisecond
	within, cancel := context.WithCancelCause(ctx)
	var watch conc.WaitGroup
	watch.Go(func() {
		tick := time.NewTicker(often)
		defer tick.Stop()
		for sizeOf(dir) <= maxRepository {
			select {
			case <-within.Done():
				return
			case <-tick.C:
			}
		}
		cancel(fmt.Errorf("the repository exceeds %d MB at this commit", maxRepository>>20))
	})
	return within, func() {
		cancel(nil)
		watch.Wait()
	}
}

// sizeOf is the size of all files below a folder. A file that is removed meanwhile counts as 0.
func sizeOf(dir string) (size int64) {
	_ = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if info, err := entry.Info(); err == nil {
			size += info.Size()
		}
		return nil
	})
	return size
}
