package host

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools/permission"
)

// ownFolder is the folder of flow's own files in the current folder.
const ownFolder = ".flow"

// RunsFolder is the folder of runs in the current folder, unless options name another one.
const RunsFolder = ownFolder + string(filepath.Separator) + "runs"

// whereRunsAre is the hint for a run that is not found.
const whereRunsAre = "work in the folder in which the run began, or name the folder of the run itself: PATH/.flow/runs/ID, or that of --run-dir"

// FindRun returns the folder of a run by its id under [RunsFolder], the end of the id, or its
// folder; "" and "last" are the last run.
func FindRun(name string) (string, error) {
	dir, err := journal.Find(RunsFolder, name)
	below, _ := filepath.Abs(RunsFolder)
	below = cmp.Or(below, RunsFolder) // if the current folder is gone
	switch {
	case err == nil:
		return dir, nil
	case errors.Is(err, journal.ErrAmbiguous):
		return "", steps.Invalid("write the whole id", "%s: %v", name, err)
	case !errors.Is(err, journal.ErrNoRun):
		return "", steps.Invalid("", "%s: %v", RunsFolder, paths.Cause(err))
	case name == "" || name == journal.Last:
		return "", steps.Invalid(whereRunsAre, "there is no run under %s", below)
	}
	return "", steps.Invalid("flow runs lists those of this folder; for another one, "+whereRunsAre, "there is no run %q under %s", name, below)
}

// folder returns the folder of the run, absolute.
func (o *Options) folder() (string, error) {
	start, err := StartFolder()
	if err != nil {
		return "", err
	}
	dir := paths.In(start, cmp.Or(o.Dir, filepath.Join(RunsFolder, o.ID)))
	if err := permission.CheckPath(dir); err != nil && o.Resume != nil {
		return "", steps.Invalid("rename it", "run folder %q: %v", dir, err)
	} else if err != nil {
		return "", wrongFolder(dir, "rename it", "%v", err)
	}
	return dir, nil
}

// wrongFolder is the error for a folder that can't be that of a new run.
func wrongFolder(dir, hint, format string, args ...any) error {
	err := fmt.Errorf("run folder %q: "+format, append([]any{dir}, args...)...)
	return &steps.Error{Kind: steps.KindInvalidInput, Message: err.Error(), Hint: hint, Option: runner.OptionDir, Err: err}
}

// checkFolder refuses a folder that can't be that of a new run: one that can't be made, or that has
// anything in it, since nobody could tell the user's files from those of the run.
func (o *Options) checkFolder(dir string) error {
	if err := checkWritable(dir); err != nil {
		return wrongFolder(dir, "", "%v", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) == 0 || o.PlanOnly {
		return nil
	}
	if !journal.IsRun(dir) {
		return wrongFolder(dir, "empty the folder", "it is not empty: it contains %s", entries[0].Name())
	}
	reader, err := journal.OpenReader(dir)
	if err != nil {
		return nil // the run reports it
	}
	defer reader.Close()
	if worker := reader.Worker(); worker != nil {
		return wrongFolder(dir, "", "%w", worker)
	}
	if _, err := reader.First(); errors.Is(err, journal.ErrEmpty) {
		return nil // the process of the run was killed before it began
	}
	return wrongFolder(dir, "", "it already contains a run")
}

// checkWritable returns an error unless files can be created in a folder or, if it does not exist,
// in the nearest one above it that does.
func checkWritable(dir string) error {
	at := dir
	found, err := os.Stat(at)
	for ; (errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)) && at != filepath.Dir(at); found, err = os.Stat(at) {
		at = filepath.Dir(at)
	}
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", at, paths.Cause(err))
	case !found.IsDir():
		return fmt.Errorf("%s is not a folder", at)
	case unix.Access(at, unix.W_OK|unix.X_OK) != nil:
		return fmt.Errorf("no permission to write in %s", at)
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

// NewRunID returns an id for a run that sorts by the time, in UTC: 20261121-031522-k3f9.
func NewRunID(now time.Time) string {
	const letters = "abcdefghijkmnpqrstuvwxyz23456789" // 32 that can't be confused
	var chosen [4]byte
	rand.Read(chosen[:]) // never returns an error
	for i, b := range chosen {
		chosen[i] = letters[int(b)%len(letters)]
	}
	return now.UTC().Format("20060102-150405-") + string(chosen[:])
}
