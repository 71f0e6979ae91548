package runner

import (
	"fmt"
	"path"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/runner/history"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// ReadResult reads the result of a run from the journal in its folder. The results of a
// foreach's elements are not held in memory, but read by [StepResult.Elements].
//
// The result of a run that was killed, or that is still running, has no Finished, and
// Running says which of the two it is. A step without a status had not ended; of its
// elements only those that had ended are there.
func ReadResult(dir string) (*Result, error) {
	from, err := journal.OpenReader(dir)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	run := &history.Run{}
	for r, err := range from.Records() {
		if err != nil {
			return nil, err
		}
		run.Take(&r)
	}
	if run.Began.IsZero() {
		_, err := from.First()
		return nil, err
	}
	start, err := from.Start(run.Start)
	if err != nil {
		return nil, err
	}
	return ResultOf(from, run, start)
}

// ResultOf returns the result of a run whose records are all taken; start is the last
// description of the run among them.
func ResultOf(from *journal.Reader, run *history.Run, start journal.Start) (*Result, error) {
	r := &Result{}
	if run.End != nil {
		type fields Result // without the methods
		if err := from.Decode(*run.End, (*fields)(r)); err != nil {
			return nil, err
		}
		if r.Version == 0 && r.Finished.IsZero() && r.Duration == 0 { // the data of its end is lost
			r.Version, r.RunID, r.Workflow, r.Unpriced = 1, start.RunID, start.Workflow, []string{}
			r.Started, r.Finished, r.Duration = run.Began, run.End.Time, run.Worked.Milliseconds()
		}
	} else {
		*r = Result{
			Version: 1, RunID: start.RunID, Workflow: start.Workflow, Status: steps.Failed,
			Started: run.Began, Duration: run.Worked.Milliseconds(), Unpriced: []string{}, Running: from.Busy(),
			Error: &Failure{Error: steps.Error{Kind: steps.KindInternal, Message: "the run has not ended: it was killed, or is still running"}},
		}
		if err := jsonline.Decode(start.Inputs, &r.Inputs); err != nil {
			return nil, fmt.Errorf("record 1: inputs: %w", err)
		}
	}
	store := newStore(from, start.Steps)
	store.folder = &folder{dir: from.Dir()} // only for whole texts
	results, err := store.inside(&run.Top)
	if err != nil {
		return nil, err
	}
	r.Steps = flatten(results)
	if run.End == nil {
		r.account(run.Top.Used)
	}
	if r.Waiting, err = ReadWaits(from, run.Waits, start.Steps); err != nil {
		return nil, err
	}
	r.Steps.wait(r.Waiting)
	if len(r.Waiting) > 0 {
		r.NotBegun = r.Steps.notBegun(start.Steps)
	}
	for step := range r.Steps.Top() {
		if step.Status != steps.Skipped {
			r.last = step
		}
	}
	return r, nil
}

// wait sets the status of steps that have not ended because they wait for a person.
func (all StepResults) wait(waits []Wait) {
	for _, w := range waits {
		waiting := w.Unit.Path()
		for _, step := range all {
			if step.Status == "" && (step.path == waiting || strings.HasPrefix(waiting, step.path+"/")) {
				step.Status = steps.Waiting
			}
		}
	}
}

// notBegun returns the paths of the steps that are not in the results of a run that waits, unless a step
// around them has ended, or is not there, too.
func (all StepResults) notBegun(list []journal.Step) (paths []string) {
	open, known := map[string]bool{".": true}, map[string]bool{}
	for _, step := range all {
		known[step.path] = true
		open[step.path] = step.Status == steps.Waiting && !step.HasElements() && step.Kind != workflows.KindPrompt
	}
	for _, step := range list {
		if !known[step.Path] && open[path.Dir(step.Path)] {
			paths = append(paths, step.Path)
		}
	}
	return paths
}
