package host

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
)

// LastUnfinished finds the last run in a folder that did not succeed; if all did, or with any, the
// last run. It returns the run's folder, and how the run began. A later run that can't be read may
// be the one that is meant, and is an error.
func LastUnfinished(runs string, any bool) (dir string, began *runner.Beginning, err error) {
	all, err := journal.Runs(runs)
	if err != nil {
		return "", nil, steps.Invalid("", "%s: %v", runs, paths.Cause(err))
	}
	for _, next := range all {
		read, err := runner.ReadBeginning(next)
		switch {
		case errors.Is(err, journal.ErrEmpty):
			continue
		case err != nil:
			return "", nil, steps.Invalid("name the run", "the last run, %s, can't be read: %v", filepath.Base(next), paths.Cause(err))
		case any || read.Status != journal.Succeeded:
			return next, read, nil
		case began == nil:
			dir, began = next, read
		}
	}
	if began == nil {
		return "", nil, steps.Invalid(whereRunsAre, "there is no run under %s", runs)
	}
	return dir, began, nil
}

// check refuses options that can't be meant.
func (o *Options) check() error {
	switch {
	case o.File != "" && o.Loaded != nil:
		return steps.Invalid("", "both File and Loaded are set; set one of them")
	case o.File == "" && o.Loaded == nil && o.Resume == nil:
		return steps.Invalid("", "File or Loaded must be set")
	case o.Loaded != nil && o.Loaded.Workflow == nil:
		return steps.Invalid("host.Load makes one", "Loaded is the zero value, without a workflow")
	case o.Loaded != nil && !o.Environment.isZero():
		return steps.Invalid("give it to host.Load", "Environment must not be set with Loaded, which has its own")
	case o.Models != nil && o.Models.models == nil:
		return steps.Invalid("host.NewModels makes one", "Models is the zero value, which knows no environment")
	case o.MaxParallel < 0:
		return steps.Invalid("", "MaxParallel is %d: expected 1 or more, or 0 for the default", o.MaxParallel)
	case o.Grace < 0:
		return steps.Invalid("", "Grace is %v: it can't be negative", o.Grace)
	case o.BudgetUSD != nil && !(*o.BudgetUSD >= 0):
		return steps.Invalid("", "BudgetUSD is %v: it can't be negative", *o.BudgetUSD)
	}
	return runner.CheckID(o.ID)
}

// begun returns how the run began that is resumed; nil if a new one begins.
func (o *Options) begun() (*runner.Beginning, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	switch {
	case o.Resume != nil && o.Dir == "" && o.ID == "":
		return nil, steps.Invalid("", "the folder or the id of the run to resume must be set")
	case o.Resume == nil:
		return nil, nil
	}
	dir, err := o.folder()
	if err != nil {
		return nil, err
	}
	began, err := runner.ReadBeginning(dir)
	if err != nil {
		return nil, &steps.Error{Kind: steps.KindInvalidInput, Message: fmt.Sprintf("the run %s can't be read: %v", dir, paths.Cause(err)), Err: err}
	}
	if err := o.checkIdle(dir); err != nil {
		return nil, err
	}
	o.Dir = dir
	if o.Loaded == nil {
		o.File = cmp.Or(o.File, began.File)
	}
	return began, nil
}

// completeFrom completes the options by those of the run that they resume. What differs is an error.
func (o *Options) completeFrom(began *runner.Beginning) error {
	l, resume, was := o.Loaded, *o.Resume, began.Options
	if (was.Elsewhere || was.Recipe != "") && !l.Fetched() {
		return steps.Invalid("set FLOW_RECIPES to the folder that flow fetched it into", "%s was the file of a recipe when the run began, but is not in a recipe folder now", began.File)
	}
	changed, err := l.checkResumption(began, resume.Changed)
	if err != nil {
		return err
	}
	if changed && len(resume.Answers) > 0 {
		return steps.Invalid("resume without answers: the questions are asked again", "the files have changed since the run asked")
	}
	if o.ID = cmp.Or(o.ID, began.RunID); o.ID != began.RunID {
		return steps.Invalid("", "the run in %s is %s, and not %s", o.Dir, began.RunID, o.ID)
	}
	if err := o.sameInputs(began); err != nil {
		return err
	}
	if err := o.sameWorkspace(began); err != nil {
		return err
	}
	resume.Changed, o.Resume = changed, &resume
	o.Model, o.MaxParallel, o.BudgetUSD = cmp.Or(o.Model, was.Model), cmp.Or(o.MaxParallel, was.MaxParallel), cmp.Or(o.BudgetUSD, was.BudgetUSD)
	o.Cache.Off = o.Cache.Off || was.NoCache && !o.Cache.Only
	o.Foreign = o.Foreign || was.InputsForeign
	o.Later = o.Later || was.Later && o.Ask == nil && o.AskAgain == nil
	return nil
}

// sameInputs takes the inputs of the run. A given one must not be another.
func (o *Options) sameInputs(began *runner.Beginning) error {
	given := maps.Clone(began.Inputs)
	maps.Copy(given, o.Inputs)
	given, err := o.Loaded.CheckInputs(given)
	if err != nil {
		return steps.Invalid("", "%w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(o.Inputs)) {
		is, err := jsonline.Encode(given[name])
		if err != nil {
			return steps.Invalid("", "input %q: %v", name, err)
		}
		if was, err := jsonline.Encode(began.Inputs[name]); err != nil || !bytes.Equal(is, was) {
			return steps.Invalid("remove it, or start a new run", "input %q differs from that of the run", name)
		}
	}
	o.Inputs = began.Inputs
	return nil
}

// sameWorkspace takes the workspace of the run. A given one must not be another.
func (o *Options) sameWorkspace(began *runner.Beginning) error {
	start, err := StartFolder()
	if err != nil {
		return err
	}
	was := filepath.FromSlash(began.Workspace)
	if o.Workspace != "" {
		folder := paths.In(start, was)
		if was == "" {
			folder, err = o.Loaded.env.workspaceOf(o.Loaded.Workflow, began.Inputs, start)
		}
		if err != nil || !paths.Same(o.Workspace, folder) {
			return steps.Invalid("remove it, or start a new run", "the workspace %s differs from that of the run, %s", o.Workspace, folder)
		}
	}
	o.Workspace = was
	return nil
}

// checkResumption checks whether the workflow can resume a run. changed reports whether steps in
// the files have changed; unless that is wanted, it is an error that says what differs. An input
// that can't be had again is an error, too. The inputs in began are brought into the form that
// the workflow needs now.
func (l *Loaded) checkResumption(began *runner.Beginning, wanted bool) (changed bool, err error) {
	differs := began.Differences(l.Workflow, l.Digests())
	if len(differs) > 0 && !wanted {
		const most = 8
		if more := len(differs) - most; more > 0 {
			differs = append(differs[:most], fmt.Sprintf("and %d more", more))
		}
		return false, &steps.Error{
			Kind: steps.KindInvalidInput, Message: "the files have changed since the run began: " + strings.Join(differs, ", "),
			Hint: "restore the files", Option: runner.OptionChanged,
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
		return steps.Invalid("set its variable to the earlier value, or start a new run", "input %q contained a secret, so its value is not stored in the run folder", hidden[0])
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
		return steps.Invalid("start a new run", "the inputs of the run: %v", err)
	}
	began.Inputs = inputs
	return nil
}
