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

// conclude makes and records the result of the run, once nothing works in it any more.
func (e *exec) conclude(ctx context.Context, l *list) *Result {
	var cause error
	if e.over.Err() != nil {
		cause = context.Cause(e.over)
	} else if ctx.Err() != nil { // which interrupted the run, or would have in a moment
		cause = context.Cause(ctx)
	}
	r := e.newResult()
	switch {
	case e.broken != nil:
	case waits(l.results):
		e.leaveWaiting(r, cause, l.results)
	default:
		e.complete(ctx, r, cause, l)
	}
	if e.broken != nil { // concluding it may have broken it, too
		r = e.newResult()
		r.breakOff(e.broken)
	}
	r.Finished, r.Duration = time.Now().UTC(), e.took().Milliseconds()
	if e.broken == nil {
		e.tellAll() // no record follows the end
		e.endRun(r)
	}
	return r
}

// newResult returns the result of the run, to be completed.
func (e *exec) newResult() *Result {
	return &Result{
		Version: 1, RunID: e.ID, Workflow: e.top.ref(), Status: steps.Succeeded, Started: e.began.UTC(), Inputs: e.top.inputs,
		Steps: StepResults{}, Unpriced: []string{},
	}
}

// leaveWaiting completes the result of a run in which everything that is left waits for a person.
// A failure of something else takes precedence.
func (e *exec) leaveWaiting(r *Result, cause error, results []*StepResult) {
	read, err := ReadResult(e.Dir)
	if err != nil {
		e.breaks(err)
		return
	}
	*r = *read
	r.Status, r.Error, r.Running, r.Outputs, r.Inputs = steps.Waiting, nil, false, Values{}, e.top.inputs
	r.failBy(failedIn(results))
	if cause != nil {
		r.interrupted(cause)
	}
}

// endRun records that the run has ended.
func (e *exec) endRun(result *Result) {
	type fields Result // without the methods
	result.Answered = e.given
	waiting := result.Waiting
	result.Waiting = nil // the records have them
	p := &entry{
		record: journal.Record{Kind: journal.End, Status: result.Status, ErrorKind: kindOf(result.failure()), Forgiven: result.forgives()},
		data: struct {
			*fields
			Commit string `json:"commit,omitempty"` // of the workspace
		}{(*fields)(result), e.commit()},
	}
	e.prepare(p)
	result.Waiting = waiting
	e.mu.Lock()
	e.enter(p)
	e.ended = true
	e.mu.Unlock()
	if p.failed == nil {
		p.failed = e.journal.Sync()
	}
	if p.failed != nil {
		result.spoil(p.failed)
	}
}

// breakOff completes the result of a run that could not be concluded.
func (r *Result) breakOff(err error) {
	r.Status = steps.Failed
	r.Error = &Failure{Error: steps.Error{Kind: steps.KindInternal, Message: err.Error(), Hint: "please report this, with the workflow", Err: err}}
	if damaged := new(journal.Error); errors.As(err, &damaged) {
		r.Error.Hint, r.Error.Option = "", OptionFrom
	}
}

// complete completes the run's result. cause is why the run was stopped; nil: it was not.
func (e *exec) complete(ctx context.Context, result *Result, cause error, l *list) {
	top, results := e.top, l.results
	result.Steps, result.last = flatten(results), lastRun(results)
	result.account(e.used(journal.Address{}))
	result.failBy(results)
	if cause != nil {
		result.interrupted(cause)
	}
	outputs, err := l.outputs(ctx, top.Outputs)
	result.Outputs = outputs
	if err != nil && l.ended {
		e.tell(Event{Event: warning(err.Error())})
	} else if err != nil {
		result.spoil(err)
	}
	if err := top.find(ctx, l.site, results, result); err != nil && result.Status == steps.Succeeded {
		result.spoil(err)
		if len(top.FindingsFrom) > 0 {
			result.Error.Unit = results[top.FindingsFrom[0]].Unit
		}
	} else if err != nil {
		e.tell(Event{Event: warning(err.Error())})
	}
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
func (r *StepResult) failedUnit() journal.Address {
	if r.elements == nil {
		return r.Unit
	}
	e, err := r.elements.resultOf(r.blames)
	if err != nil || e == nil || firstFailure(e.inner) == nil {
		return r.Unit.WithElement(r.blames)
	}
	inner := innermost(firstFailure(e.inner))
	if inner.elements != nil && inner.setBlamed(&workflows.Step{}) != nil {
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
