package journal

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// ErrNoRun is the error for a folder that has no run in it.
var ErrNoRun = errors.New("it is not the folder of a run")

// ErrRun is the error for the folder of a new run that has another one in it.
var ErrRun = errors.New("it already contains a run")

// ErrAmbiguous is in the error for a short id that several runs have, which names them.
var ErrAmbiguous = errors.New("several runs have this short id")

// Last is the name that stands for the run below a folder that began last.
const Last = "last"

// IsRun reports whether a folder has a run in it. A folder that can't be read counts as one.
func IsRun(dir string) bool {
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
		if entry.IsDir() && IsRun(dir) {
			runs = append(runs, dir)
			began[dir] = BeganAt(dir)
		}
	}
	slices.SortFunc(runs, func(a, b string) int { return cmp.Or(began[b].Compare(began[a]), strings.Compare(b, a)) })
	return runs, nil
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
	const layout = "20060102-150405"
	name := filepath.Base(dir)
	began, _ := time.Parse(layout, name[:min(len(name), len(layout))])
	return began
}

// Find returns the folder of the run of a name: a folder, or what [FindBelow] takes; "" is the last
// run. The error is [ErrNoRun] where there is none.
func Find(below, name string) (string, error) {
	if name != "" && IsRun(name) {
		return name, nil
	}
	return FindBelow(below, cmp.Or(name, Last))
}

// FindBelow returns the folder of a run below a folder: name is the id, the part of it behind its last -
// if no other run has the same, or [Last]. The error is [ErrNoRun] where there is none, and
// [ErrAmbiguous] where there are several.
func FindBelow(below, name string) (string, error) {
	if dir := filepath.Join(below, name); filepath.Base(name) == name && IsRun(dir) {
		return dir, nil
	}
	runs, err := Runs(below)
	if err != nil {
		return "", err
	}
	var found []string
	for i, dir := range runs {
		if name == Last && i == 0 {
			return dir, nil
		}
		if id := filepath.Base(dir); name != "" && id[strings.LastIndexByte(id, '-')+1:] == name {
			found = append(found, id)
		}
	}
	switch len(found) {
	case 0:
		return "", ErrNoRun
	case 1:
		return filepath.Join(below, found[0]), nil
	}
	return "", fmt.Errorf("%w: %s", ErrAmbiguous, strings.Join(found, ", "))
}

// Remove removes the folder of a run and everything in it. name is an entry of the folder
// runs; nothing outside of that is touched. The error is a [*Locked] if a process
// works in the run, and [ErrNoRun] if it is no run; then nothing was removed.
func Remove(runs, name string) error {
	all, err := os.OpenRoot(runs)
	if err != nil {
		return err
	}
	defer all.Close()
	if info, err := all.Lstat(name); err != nil || !info.IsDir() {
		return ErrNoRun
	}
	run, err := all.OpenRoot(name)
	if err != nil {
		return err
	}
	defer run.Close()
	journal, err := openRegular(run, File, os.O_RDWR)
	if err != nil {
		return ErrNoRun
	}
	defer journal.Close()
	if err := acquire(run, journal); err != nil {
		return err
	}
	return all.RemoveAll(name)
}
