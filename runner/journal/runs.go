package journal

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// IsRun reports whether a folder is one of a run, as far as that can be seen: one that
// may not be looked into counts as one.
func IsRun(dir string) bool {
	info, err := os.Lstat(filepath.Join(dir, File))
	return err == nil && info.Mode().IsRegular() || errors.Is(err, fs.ErrPermission)
}

// Runs are the folders of runs below a folder, the newest first. There are none where
// that is not there. What leads elsewhere is left out.
func Runs(below string) ([]string, error) {
	entries, err := os.ReadDir(below)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	began := map[string]time.Time{}
	var runs []string
	for _, entry := range entries {
		dir := filepath.Join(below, entry.Name())
		if entry.IsDir() && IsRun(dir) {
			runs = append(runs, dir)
			began[dir] = BeganAt(dir)
		}
	}
	slices.SortFunc(runs, func(a, b string) int { return cmp.Or(began[b].Compare(began[a]), strings.Compare(b, a)) })
	return runs, nil
}

// BeganAt is when a run began: as its journal says or, where that can't be read, its
// name; the zero time where neither does.
func BeganAt(dir string) time.Time {
	if from, err := OpenReader(dir); err == nil {
		defer from.Close()
		if first, err := from.First(); err == nil {
			return first.Time
		}
	}
	stamp, _, _ := strings.Cut(strings.Replace(filepath.Base(dir), "-", "", 1), "-")
	began, _ := time.Parse("20060102150405", stamp)
	return began
}
