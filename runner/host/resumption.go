package host

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/runner/record"
	"github.com/a-seed-11b9befa/flow/steps"
)

// LastUnfinished finds the last run in a folder that did not succeed, or with any the last run.
// It returns the run's folder, and how the run began. A later run that can't be read may be the
// one that is meant, and is an error.
func LastUnfinished(runs string, any bool) (dir string, began *runner.Beginning, err error) {
	all, err := journal.Runs(runs)
	if err != nil {
		return "", nil, invalid("", "%s: %v", runs, paths.Cause(err))
	}
	for _, dir := range all {
		began, err := runner.ReadBeginning(dir)
		switch {
		case errors.Is(err, journal.ErrEmpty):
		case err != nil:
			return "", nil, invalid("name the run that is meant", "the last run, %s, can't be read: %v", filepath.Base(dir), paths.Cause(err))
		case any || began.Status != record.Succeeded:
			return dir, began, nil
		}
	}
	return "", nil, invalid("name a run, or the folder of one", "no run under %s is unfinished", runs)
}

// CheckResumption checks whether the workflow can resume a run. changed reports whether steps in
// the files have changed; unless that is wanted, it is an error that says what differs. An input
// that can't be had again is an error, too. The inputs in began are brought into the form that
// the workflow needs now.
func (l *Loaded) CheckResumption(began *runner.Beginning, wanted bool) (changed bool, err error) {
	differs := began.Differences(l.Workflow, l.Digests())
	if len(differs) > 0 && !wanted {
		const most = 8
		if more := len(differs) - most; more > 0 {
			differs = append(differs[:most], fmt.Sprintf("and %d more", more))
		}
		return false, &steps.Error{
			Kind: steps.KindInvalidInput, Message: "the run was made of other files; what differs: " + strings.Join(differs, ", "),
			Hint: "put back what was there", Option: runner.OptionChanged,
		}
	}
	if err := l.checkInputs(began); err != nil {
		return false, err
	}
	return len(differs) > 0, nil
}

// checkInputs checks the inputs of a run against the workflow as it is now.
func (l *Loaded) checkInputs(began *runner.Beginning) error {
	hidden, err := began.Reveal(l.namedSecrets())
	if err != nil {
		return err
	}
	if len(hidden) > 0 {
		return invalid("set the variable that has it as it was, or run the workflow again", "input %q held a secret, which is not in the run's folder", hidden[0])
	}
	if began.Files[filepath.ToSlash(l.File)] == l.SHA256 {
		return nil
	}
	given := map[string]any{}
	for _, input := range l.Inputs {
		if value, known := began.Inputs[input.Name]; known {
			given[input.Name] = value
		}
	}
	inputs, err := l.CheckInputs(given)
	if err != nil {
		return invalid("run the workflow again", "the inputs of the run: %v", err)
	}
	began.Inputs = inputs
	return nil
}
