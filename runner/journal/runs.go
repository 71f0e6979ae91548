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

// isRun reports whether a folder has a run in it. A folder that can't be read counts as one.
func isRun(dir string) bool {
	info, err := os.Lstat(filepath.Join(dir, File))
	return err == nil && info.Mode().IsRegular() || errors.Is(err, fs.ErrPermission)
}

// Runs returns the folders of runs in a folder, the newest first, without symlinks; none if
// that folder does not exist.
func Runs(below string) ([]string, error) {
	entries, err := os.ReadDir(below)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	began := map[string]time.Time{}
	var runs []string
	for _, entry := range entries {
		dir := filepath.Join(below, entry.Name())
		if entry.IsDir() && isRun(dir) {
			runs = append(runs, dir)
			began[dir] = BeganAt(dir)
		}
	}
	slices.SortFunc(runs, func(a, b string) int { return cmp.Or(began[b].Compare(began[a]), strings.Compare(b, a)) })
	return runs, nil
}

// Last is the name that stands for the run below a folder that began last.
const Last = "last"

// Find returns the folder of the run of a name: a folder, or the id of one below another
// folder, or [Last]; "" is the last one, too. The error is [ErrNoRun] where there is none.
func Find(below, name string) (string, error) {
	for _, dir := range []string{name, filepath.Join(below, name)} {
		if name != "" && isRun(dir) {
			return dir, nil
		}
	}
	if name != "" && name != Last {
		return "", ErrNoRun
	}
	runs, err := Runs(below)
	if err == nil && len(runs) == 0 {
		err = ErrNoRun
	}
	if err != nil {
		return "", err
	}
	return runs[0], nil
}

// BeganAt returns when a run began: according to its journal or, if that can't be read, to its
// name; the zero time if neither says.
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
