package host

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
)

// ownFolder is where flow keeps what it writes of its own, from where it is started.
const ownFolder = ".flow"

// RunsFolder is where runs are kept, from where flow is started, unless their options
// name another folder.
const RunsFolder = ownFolder + string(filepath.Separator) + "runs"

// refuseFull refuses a folder for a new run that has anything in it: nobody could
// tell files of the user's from those of the run. What else is wrong with it shows
// when it is made.
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

// ignoreOwn has git ignore flow's own folder, by a file in it. What is there already
// stays as it is. Where the folder can't be made the run says so, whose own lies in it.
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
