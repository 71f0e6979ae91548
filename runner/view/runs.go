package view

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/runner/journal"
)

// IsRun reports whether a folder is one of a run.
func IsRun(dir string) bool {
	info, err := os.Lstat(filepath.Join(dir, journal.File))
	return err == nil && info.Mode().IsRegular()
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
			began[dir] = beganAt(dir)
		}
	}
	slices.SortFunc(runs, func(a, b string) int { return cmp.Or(began[b].Compare(began[a]), strings.Compare(b, a)) })
	return runs, nil
}

// beganAt is when a run began: as its journal says or, where that can't be read, its
// name; the zero time where neither does.
func beganAt(dir string) time.Time {
	if from, err := journal.OpenReader(dir); err == nil {
		defer from.Close()
		if first, err := from.At(0); err == nil {
			return first.Time
		}
	}
	stamp, _, _ := strings.Cut(strings.Replace(filepath.Base(dir), "-", "", 1), "-")
	began, _ := time.Parse("20060102150405", stamp)
	return began
}

// GlanceAt is [ReadGlance] of a folder whatever its journal says: one that can't be
// read has no state, and says why.
func GlanceAt(dir string) *Glance {
	g, err := ReadGlance(dir)
	if err != nil {
		g = &Glance{ID: filepath.Base(dir), Folder: dir, Began: beganAt(dir), Broken: err.Error()}
	}
	return g
}
