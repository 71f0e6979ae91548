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

// Find returns the folder of the run of a name: a folder, or what [FindID] takes; "" is the last
// run. The error is [ErrNoRun] where there is none.
func Find(below, name string) (string, error) {
	if name != "" && isRun(name) {
		return name, nil
	}
	id, err := FindID(below, cmp.Or(name, Last))
	if err != nil {
		return "", err
	}
	return filepath.Join(below, id), nil
}

// FindID returns the id of a run below a folder: name is the id, the part of it behind its last -
// if no other run has the same, or [Last]. The error is [ErrNoRun] where there is none, and an
// [*AmbiguousError] where there are several.
func FindID(below, name string) (string, error) {
	if name != "" && filepath.Base(name) == name && isRun(filepath.Join(below, name)) {
		return name, nil
	}
	runs, err := Runs(below)
	if err != nil {
		return "", err
	}
	var found []string
	for _, dir := range runs {
		id := filepath.Base(dir)
		if name == Last || name != "" && id[strings.LastIndexByte(id, '-')+1:] == name {
			found = append(found, id)
		}
	}
	switch {
	case len(found) == 0:
		return "", ErrNoRun
	case len(found) > 1 && name != Last:
		return "", &AmbiguousError{found}
	}
	return found[0], nil
}

// An AmbiguousError is the error for a short id that several runs have.
type AmbiguousError struct{ IDs []string }

func (e *AmbiguousError) Error() string {
	return "several runs have this short id: " + strings.Join(e.IDs, ", ")
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
