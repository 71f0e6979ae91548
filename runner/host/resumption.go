package host

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// LastUnfinished returns how the last run in a folder began that did not succeed; with any, the last
// run. A later run that can't be read may be the one that is meant, and is an error.
func LastUnfinished(runs string, any bool) (*runner.Beginning, error) {
	all, err := journal.Runs(runs)
	if err != nil {
		return nil, steps.Invalid("", "%s: %v", runs, paths.Cause(err))
	}
	succeeded := false
	for _, dir := range all {
		read, err := runner.ReadBeginning(dir)
		switch {
		case errors.Is(err, journal.ErrEmpty):
			continue
		case err != nil:
			return nil, steps.Invalid("name the run that you mean: flow resume RUN", "the last run, %q, can't be read: %v", filepath.Base(dir), paths.Cause(err))
		case any || read.Status != steps.Succeeded:
			return read, nil
		}
		succeeded = true
	}
	if succeeded {
		return nil, steps.Invalid("to rerun what failed in one that succeeded: flow resume RUN --failed; flow runs lists them", "no run under %s is left to resume: all have succeeded", runs)
	}
	return nil, steps.Invalid(whereRunsAre, "there is no run under %s to resume", runs)
}

// check refuses options that can't be meant.
func (o *Options) check() error {
	switch {
	case o.File != "" && o.Loaded != nil:
		return steps.Invalid("", "both File and Loaded are set; set one of them")
	case o.File == "" && o.Loaded == nil && o.Resume == nil:
		return steps.Invalid("", "File or Loaded must be set")
	case o.Resume != nil && o.Began == nil && o.Dir == "" && o.ID == "":
		return steps.Invalid("", "the folder or the id of the run to resume must be set")
	case o.Resume != nil && (o.Inputs != nil || o.Workspace != ""):
		return steps.Invalid("remove them, or start a new run", "Inputs and Workspace are those of the run that is resumed")
	case o.Loaded != nil && !reflect.ValueOf(o.Environment).IsZero():
		return steps.Invalid("give it to host.Load", "Environment must not be set with Loaded, which has its own")
	case o.BudgetUSD != nil && !(*o.BudgetUSD >= 0):
		return steps.Invalid("", "BudgetUSD is %v: it can't be negative", *o.BudgetUSD)
	}
	return runner.CheckID(o.ID)
}

// readBeginning reads how the run began that is resumed, and takes its folder and its file.
func (o *Options) readBeginning() (err error) {
	if o.Began != nil {
		o.Dir = cmp.Or(o.Dir, o.Began.Dir)
	}
	if o.Dir, err = o.folder(); err != nil {
		return err
	}
	if o.Began == nil {
		if o.Began, err = runner.ReadBeginning(o.Dir); err != nil {
			return &steps.Error{Kind: steps.KindInvalidInput, Message: fmt.Sprintf("the run %s can't be read: %v", o.Dir, paths.Cause(err)), Err: err}
		}
	}
	if o.Loaded == nil {
		o.File = cmp.Or(o.File, o.Began.Workflow.File)
		o.Environment.Sandbox = cmp.Or(o.Environment.Sandbox, workflows.SandboxLevel(o.Began.Options.Sandbox))
	}
	reader, err := journal.OpenReader(o.Dir)
	if err != nil {
		return err
	}
	defer reader.Close()
	if worker := reader.Worker(); worker != nil {
		return steps.Invalid("", "run folder %q: %w", o.Dir, worker)
	}
	return nil
}

// completeFrom completes the options by those of the run that they resume.
func (o *Options) completeFrom(began *runner.Beginning) (err error) {
	was, resume := began.Options, *o.Resume
	if (was.Elsewhere || was.Recipe != "") && !o.Loaded.Fetched() {
		return steps.Invalid("set FLOW_RECIPES to the folder that flow fetched it into", "%s was the file of a recipe when the run began, but is not in a recipe folder now", began.Workflow.File)
	}
	if resume.Changed, err = o.Loaded.haveChanged(began, resume.Changed); err != nil {
		return err
	}
	if resume.Changed && len(resume.Answers) > 0 {
		return steps.Invalid("resume without answers: the questions are asked again", "the files have changed since the run asked")
	}
	if o.ID = cmp.Or(o.ID, began.RunID); o.ID != began.RunID {
		return steps.Invalid("", "the run in %s is %s, and not %s", o.Dir, began.RunID, o.ID)
	}
	if o.Inputs, err = o.Loaded.inputsOf(began); err != nil {
		return err
	}
	o.Resume, o.Workspace = &resume, filepath.FromSlash(began.Workspace)
	o.Model, o.MaxParallel, o.BudgetUSD = cmp.Or(o.Model, was.Model), cmp.Or(o.MaxParallel, was.MaxParallel), cmp.Or(o.BudgetUSD, was.BudgetUSD)
	o.Cache.Off = o.Cache.Off || was.NoCache && !o.Cache.Only
	o.Foreign = o.Foreign || was.InputsForeign
	o.Later = o.Later || was.Later && o.Ask == nil && o.AskAgain == nil
	return nil
}

// haveChanged reports whether steps in the files have changed since a run began. Unless that is
// accepted it is an error that says what differs.
func (l *Loaded) haveChanged(began *runner.Beginning, accepted bool) (bool, error) {
	differs := l.Differences(began)
	if len(differs) == 0 || accepted {
		return len(differs) > 0, nil
	}
	const maxNamed = 8
	if more := len(differs) - maxNamed; more > 0 {
		differs = append(differs[:maxNamed], fmt.Sprintf("and %d more", more))
	}
	return false, &steps.Error{
		Kind: steps.KindInvalidInput, Message: "the files have changed since the run began: " + strings.Join(differs, ", "),
		Hint: "restore the files", Option: runner.OptionChanged,
	}
}

// inputsOf returns the inputs of a run in the form that the workflow needs now. One whose secret
// can't be put back is an error.
func (l *Loaded) inputsOf(began *runner.Beginning) (map[string]any, error) {
	recorded, hidden, err := began.Reveal(l.namedSecrets())
	if err != nil {
		return nil, err
	}
	if len(hidden) > 0 {
		return nil, steps.Invalid("set its variable to the earlier value, or start a new run", "input %q contained a secret, so its value is not stored in the run folder", hidden[0])
	}
	given := map[string]any{}
	for _, input := range l.Inputs {
		if value, known := recorded[input.Name]; known {
			given[input.Name] = value
		}
	}
	inputs, err := l.CheckInputs(given)
	if err != nil {
		return nil, steps.Invalid("start a new run", "the inputs of the run: %v", err)
	}
	return inputs, nil
}
