package host

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/record"
)

// LastUnfinished finds, in a folder of runs, the last one that did not succeed; with
// any the last one. It returns the run's folder, and how the run began.
func LastUnfinished(runs string, any bool) (dir string, began *runner.Beginning, err error) {
	entries, err := os.ReadDir(runs)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", nil, invalid("", "%s: %v", runs, paths.Cause(err))
	}
	for _, entry := range slices.Backward(entries) {
		dir := filepath.Join(runs, entry.Name())
		began, err := runner.ReadBeginning(dir)
		if err == nil && (any || began.Status != record.Succeeded) {
			return dir, began, nil
		}
	}
	return "", nil, invalid("name a run, or the folder of one", "no run under %s is unfinished", runs)
}

// CheckResumption reports why the workflow can't go on with a run: its files are
// others now, or not all of the run's inputs are known.
func (l *Loaded) CheckResumption(began *runner.Beginning) error {
	now := l.Digests()
	var changed []string
	for file, sum := range began.Files {
		if now[file] != sum {
			changed = append(changed, file)
		}
	}
	for file := range now {
		if _, known := began.Files[file]; !known {
			changed = append(changed, file)
		}
	}
	slices.Sort(changed)
	if len(changed) > 0 {
		return invalid("put them back as they were, or run the workflow again", "the run was made of other files: %s changed", strings.Join(changed, ", "))
	}
	for name, value := range began.Inputs {
		if strings.Contains(fmt.Sprint(value), "***") {
			return invalid("run the workflow again", "input %q held a secret, which is not in the run's folder", name)
		}
	}
	return nil
}
