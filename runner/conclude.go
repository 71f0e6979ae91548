package runner

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// conclude makes the run's result. cause is why the run was stopped; nil: it was not.
func (r *run) conclude(ctx context.Context, cause error, top *instance, known *scope, l *list) *Result {
	results := l.results
	result := &Result{
		Version: 1, RunID: r.ID, Workflow: top.ref(), Status: steps.Succeeded,
		Started: r.began.UTC(), Inputs: top.inputs, Steps: flatten(results), last: lastRun(results),
	}
	result.account(r.exec.used(journal.Unit{}))
	result.failBy(results)
	if cause != nil {
		result.interrupted(cause)
	}
	outputs, err := known.outputs(ctx, top.Outputs)
	result.Outputs = outputs
	if err != nil && l.ended {
		for _, absent := range absentOutputs(err) {
			r.emit(&Event{Event: warning(absent)})
		}
	} else if err != nil {
		result.spoil(err)
	}
	if err := top.find(ctx, known, results, result); err != nil && result.Status == steps.Succeeded {
		result.spoil(err)
		if len(top.FindingsFrom) > 0 {
			result.Error.Unit = results[top.FindingsFrom[0]].Unit
		}
	} else if err != nil {
		r.emit(&Event{Event: warning(err.Error())})
	}
	result.Finished = time.Now().UTC()
	result.Duration = r.took().Milliseconds()
	return result
}

// failBy sets that the run has failed if one of the steps did that make it fail.
func (r *Result) failBy(results []*StepResult) {
	failure := firstFailure(results)
	if failure == nil {
		return
	}
	from := innermost(failure)
	r.Status, r.Error = failure.Status, &Failure{Step: from.path, Unit: from.Unit, Error: *failure.Error}
	r.Error.Unit = from.failedUnit()
}

// failedUnit returns the unit in which a failure began: of a foreach it is the element whose error is
// the step's, or the step in that element.
func (r *StepResult) failedUnit() journal.Unit {
	if r.elements == nil {
		return r.Unit
	}
	e, err := r.elements.resultOf(r.speaks)
	if err != nil || e == nil || firstFailure(e.inner) == nil {
		return r.Unit.WithElement(r.speaks)
	}
	inner := innermost(firstFailure(e.inner))
	if inner.elements != nil && inner.setSpeaker(&workflows.Step{}) != nil {
		return inner.Unit
	}
	return inner.failedUnit()
}

// interrupted sets that the run was ended from outside, or by a limit of its own.
func (r *Result) interrupted(cause error) {
	own := steps.CauseError(cause)
	r.Status = steps.Cancelled
	switch own.Kind {
	case steps.KindBudget, steps.KindTimeout:
		r.Status = steps.Stopped
	case steps.KindInternal, steps.KindDenied:
		r.Status = steps.Failed
	}
	if r.Error == nil || r.Status == steps.Cancelled || own.Kind == steps.KindInternal || r.Error.Kind == steps.KindCancelled {
		r.Error = &Failure{Error: *own}
	}
}

// spoil turns a success into a failure of the runner's own.
func (r *Result) spoil(err error) {
	if r.Status == steps.Succeeded {
		r.Status = steps.Failed
		r.Error = &Failure{Error: *asError(err)}
	}
}

// forgives reports whether a run has succeeded although a step, or an element, did not.
func (r *Result) forgives() bool {
	return r.Status == steps.Succeeded && slices.ContainsFunc(r.Steps, func(s *StepResult) bool {
		return s.Error != nil || s.Counts != nil && (s.Counts.Succeeded < s.Counts.Total || len(s.Counts.Inside) > 0)
	})
}

func (r *Result) failure() *steps.Error {
	if r.Error == nil {
		return nil
	}
	return &r.Error.Error
}

// asError returns err as an error with a kind. What it is about was not interrupted.
func asError(err error) *steps.Error {
	var own *steps.Error
	if errors.As(err, &own) {
		return own
	}
	return &steps.Error{Kind: cmp.Or(steps.OwnKind(err), steps.KindInternal), Message: err.Error(), Err: err}
}
