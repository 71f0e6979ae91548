package host

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
)

// ownFolder is the folder of flow's own files in the current folder.
const ownFolder = ".flow"

// RunsFolder is the folder of runs in the current folder, unless options name another one.
const RunsFolder = ownFolder + string(filepath.Separator) + "runs"

// folder returns the folder of the run, absolute.
func (o *Options) folder() (string, error) {
	start, err := StartFolder()
	if err != nil || o.Dir != "" {
		return paths.In(start, o.Dir), err
	}
	return filepath.Join(start, RunsFolder, o.ID), nil
}

// refuseFull refuses a folder for a new run that has anything in it, since nobody could tell the
// user's files from those of the run. Other mistakes show when the folder is made.
func refuseFull(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) == 0 {
		return nil
	}
	if _, err := os.Lstat(filepath.Join(dir, journal.File)); err == nil {
		return nil // the runner says that it is a run
	}
	message := fmt.Sprintf("the run's folder %q: it is not empty: %s is in it", dir, entries[0].Name())
	return &steps.Error{Kind: steps.KindInvalidInput, Message: message, Hint: "empty it", Option: runner.OptionDir}
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
