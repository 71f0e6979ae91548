package host

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
)

// ownFolder is the folder of flow's own files in the current folder.
const ownFolder = ".flow"

// RunsFolder is the folder of runs in the current folder, unless options name another one.
const RunsFolder = ownFolder + string(filepath.Separator) + "runs"

// whereRunsAre is the hint for a run that is not found.
const whereRunsAre = "use the folder in which the run began, or name the run folder (--run-dir, or PATH/.flow/runs/ID)"

// FindRun returns the folder of a run by its id under [RunsFolder], the end of the id, or its
// folder; "" and "last" are the last run.
func FindRun(name string) (string, error) {
	dir, err := journal.Find(RunsFolder, name)
	below, _ := filepath.Abs(RunsFolder)
	below = cmp.Or(below, RunsFolder) // if the current folder is gone
	switch {
	case err == nil:
		return dir, nil
	case errors.As(err, new(*journal.AmbiguousError)):
		return "", steps.Invalid("write the whole id", "%s: %v", name, err)
	case !errors.Is(err, journal.ErrNoRun):
		return "", steps.Invalid("", "%s: %v", RunsFolder, paths.Cause(err))
	case name == "" || name == journal.Last:
		return "", steps.Invalid(whereRunsAre, "there is no run under %s", below)
	}
	return "", steps.Invalid("to list the runs: flow runs; "+whereRunsAre, "there is no run %q under %s", name, below)
}

// folder returns the folder of the run, absolute.
func (o *Options) folder() (string, error) {
	start, err := StartFolder()
	if err != nil || o.Dir != "" {
		return paths.In(start, o.Dir), err
	}
	return filepath.Join(start, RunsFolder, o.ID), nil
}

// checkFolder refuses a folder that can't be that of a new run: one that can't be made, or that has
// anything in it, since nobody could tell the user's files from those of the run.
func (o *Options) checkFolder(dir string) error {
	invalid := func(hint, format string, args ...any) error {
		message := fmt.Sprintf("run folder %q: ", dir) + fmt.Sprintf(format, args...)
		return &steps.Error{Kind: steps.KindInvalidInput, Message: message, Hint: hint, Option: runner.OptionDir}
	}
	if problem := whyNotMade(dir); problem != "" {
		return invalid("", "%s", problem)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) == 0 || o.PlanOnly {
		return nil
	}
	if _, err := os.Lstat(filepath.Join(dir, journal.File)); err != nil {
		return invalid("empty the folder", "it is not empty: it contains %s", entries[0].Name())
	}
	if err := o.checkIdle(dir); err != nil {
		return err
	}
	if _, err := runner.ReadBeginning(dir); errors.Is(err, journal.ErrEmpty) {
		return nil // its process was killed before the run began
	}
	return invalid("", "it already contains a run")
}

// whyNotMade returns why a folder can't be made or used, as far as that shows before; "" if it can.
func whyNotMade(dir string) string {
	for at := dir; ; at = filepath.Dir(at) {
		found, err := os.Stat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist) && at != filepath.Dir(at):
			continue
		case errors.Is(err, syscall.ENOTDIR) && at != filepath.Dir(at):
			continue // the file is further up
		case err != nil:
			return fmt.Sprintf("%s: %v", at, paths.Cause(err))
		case !found.IsDir() && at == dir:
			return "it is not a folder"
		case !found.IsDir():
			return at + " is not a folder"
		case unix.Access(at, unix.W_OK|unix.X_OK) != nil && at == dir:
			return "it is not writable"
		case unix.Access(at, unix.W_OK|unix.X_OK) != nil:
			return "it can't be created: no permission to write in " + at
		}
		return ""
	}
}

// checkIdle returns an error if a process works in the run of a folder.
func (o *Options) checkIdle(dir string) error {
	if o.PlanOnly {
		return nil
	}
	reader, err := journal.OpenReader(dir)
	if err != nil {
		return nil // who opens it to work in it says why not
	}
	defer reader.Close()
	if worker := reader.Worker(); worker != nil {
		err := fmt.Errorf("run folder %q: %w", dir, worker)
		return &steps.Error{Kind: steps.KindInvalidInput, Message: err.Error(), Option: runner.OptionDir, Err: err}
	}
	return nil
}

// ignoreOwn makes git ignore flow's own folder, by a file in it. A file that is there stays as it
// is. If the folder can't be made, the run reports it, since its own folder is in there.
func ignoreOwn(start string) error {
	own := filepath.Join(start, ownFolder)
	if err := os.MkdirAll(own, 0o700); err != nil {
		return nil
	}
	file, err := os.OpenFile(filepath.Join(own, ".gitignore"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = file.WriteString("*\n")
	return errors.Join(err, file.Close())
}
