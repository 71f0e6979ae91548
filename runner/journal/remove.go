package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrNoRun is the error for a folder that has no run in it.
var ErrNoRun = errors.New("it is not the folder of a run")

// ErrRun is the error for the folder of a new run that has another one in it.
var ErrRun = errors.New("it already contains a run")

// Remove removes the folder of a run and everything in it. name is an entry of the folder
// runs, never a path; nothing outside of it is touched. The error is a [*Locked] if a process
// works in the run, and [ErrNoRun] if it is no run; then nothing was removed.
func Remove(runs, name string) error {
	if name == "" || name == "." || name == ".." || filepath.Base(name) != name {
		return fmt.Errorf("%q is not the id of a run", name)
	}
	all, err := os.OpenRoot(runs)
	if err != nil {
		return err
	}
	defer all.Close()
	info, err := all.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ErrNoRun
	case err != nil:
		return err
	case !info.IsDir():
		return ErrNoRun
	}
	run, err := all.OpenRoot(name)
	if err != nil {
		return err
	}
	defer run.Close()
	if info, err := run.Lstat(File); err != nil || !info.Mode().IsRegular() {
		return ErrNoRun
	}
	lock, err := acquireLock(run)
	if err != nil {
		return err
	}
	defer lock.Close()
	return all.RemoveAll(name)
}
