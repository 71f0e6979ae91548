package runner

import (
	"context"
	"fmt"
	"time"

	"github.com/a-seed-11b9befa/flow/runner/record"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
	"github.com/sourcegraph/conc/panics"
)

// execute runs the step, with all of its elements, or skips it. The ticket is
// the step's place among those that start with it; stands, whether none of the
// steps that it needs ended badly.
func (t *site) execute(ctx context.Context, stands bool, line *ticket) *StepResult {
	defer line.leave()
	defer t.reading.end()
	return t.guarded(func() *StepResult { return t.runOrSkip(ctx, stands, line) })
}

// guarded turns a bug in flow into a failure of the step.
func (t *site) guarded(run func() *StepResult) (result *StepResult) {
	crash := panics.Try(func() { result = run() })
	if crash != nil {
		return t.fail(&steps.Error{
			Kind: steps.KindInternal, Message: fmt.Sprintf("flow itself crashed: %v", crash.Value),
			Hint: "please report this, with the workflow", Err: crash.AsError(),
		})
	}
	return result
}

func (t *site) runOrSkip(ctx context.Context, stands bool, line *ticket) *StepResult {
	if kept := t.before(); kept != nil {
		return kept
	}
	if ctx.Err() != nil {
		return t.skip()
	}
	due, err := t.due(ctx, stands)
	switch {
	case err != nil:
		return t.neverBegan(ctx, mistake("if", err))
	case !due || ctx.Err() != nil:
		return t.skip()
	case t.step.Foreach != nil:
		return t.fan(ctx)
	}
	return t.once(ctx, line, false)
}

// due evaluates the step's condition.
func (t *site) due(ctx context.Context, stands bool) (bool, error) {
	if !looksAtStatus(t.step) && !stands {
		return false, nil
	}
	if t.step.If == nil {
		return true, nil
	}
	if past := t.run.history.of(t.unit); past.holds != nil {
		return past.holds.Holds, nil
	}
	due, err := t.step.If.Holds(t.names(ctx, workflows.Env{
		"success": func() bool { return stands },
		"failure": func() bool { return !stands },
		"always":  func() bool { return true },
	}))
	if err == nil && ctx.Err() == nil {
		t.decided(record.Record{About: record.If, Holds: due}, nil)
	}
	return due, err
}

// skip is the result of a step that does not run.
func (t *site) skip() *StepResult {
	if past := t.run.history.of(t.unit); past.ended != nil && past.ended.Status == record.Skipped && !past.anew {
		return t.leaf(steps.Result{Status: steps.Skipped})
	}
	return t.close(&steps.Result{Status: steps.Skipped}, nil)
}

// fail is the result of a step that could not even begin.
func (t *site) fail(err *steps.Error) *StepResult {
	return t.close(&steps.Result{Status: steps.Failed, StopReason: steps.ReasonError, Error: err}, nil)
}

// neverBegan is the result of a step of which it could not be decided, for err, whether
// it is due or what it goes over, or whose context ended before. No on_error forgives
// that: it is a mistake of the file, and not of the work.
func (t *site) neverBegan(ctx context.Context, err error) *StepResult {
	result := t.result()
	result.Result, result.forgive = unprepared(ctx, err), false
	return t.finish(result, nil)
}

func (t *site) close(r *steps.Result, began *time.Time) *StepResult {
	result := t.result()
	result.Result = *r
	return t.finish(result, began)
}

// once runs the step, or one element of it, with its retries and within its
// time, when its turn in the line has come. The caller leaves the line.
func (t *site) once(ctx context.Context, line *ticket, told bool) *StepResult {
	if t.works() {
		var cancel context.CancelFunc
		ctx, cancel = t.timeLeft.bound(ctx)
		defer cancel()
	}
	if err := line.wait(ctx); err != nil {
		return t.close(ended(err), nil)
	}
	began := time.Now()
	if !told {
		t.tellStart()
	}
	ctx, cancel := t.bound(ctx)
	defer cancel()
	return t.finish(t.attempts(ctx, line), &began)
}

func (t *site) tellStart() {
	t.tell(Event{StepKind: string(t.step.Kind), Item: t.itemText(), Label: t.label}, steps.Event{Type: StepStarted})
}

// itemText is the beginning of an element that is text, "" of any other: it tells
// a person which one it is.
func (t *site) itemText() string {
	if t.shelf == nil || t.index == nil {
		return ""
	}
	text, _ := t.shelf.items[t.slot].item.(string)
	return t.run.beginning(text)
}

// queue takes the step's place in the line, if it or its elements work. The
// elements of a foreach take places of their own.
func (t *site) queue() *ticket {
	if !t.works() {
		return nil
	}
	return t.run.slots.queue()
}

// works reports whether the step does something itself, and does not only wait
// for others.
func (t *site) works() bool { return t.step.Group == nil && t.step.Use == nil }

func (t *site) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	if t.step.Timeout <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, t.step.Timeout, &steps.Error{
		Kind: steps.KindTimeout, Message: fmt.Sprintf("timeout after %v", t.step.Timeout),
		Hint: "raise timeout: of the step",
	})
}

// finish dates the result, writes it down and tells that the step has ended.
func (t *site) finish(r *StepResult, began *time.Time) *StepResult {
	if r.Error != nil && r.inner == nil && r.elements == nil {
		r.fatal = fatal(r.Error)
	}
	event := Event{Status: r.Status, Reason: r.StopReason, Failure: r.Error, Turns: r.Turns, Calls: r.ToolCalls, Label: r.label}
	if began != nil {
		started := began.UTC()
		event.Elapsed = time.Since(*began)
		r.Started, r.Duration = &started, milliseconds(event.Elapsed)
	}
	r.shelve(t.run.folder)
	if err := t.write(r); err != nil {
		t.run.lost(fmt.Sprintf("result of step %q", t.path), err)
	}
	t.ended(r)
	t.tell(event, steps.Event{Type: StepFinished})
	return r
}

// write writes the result down.
func (t *site) write(r *StepResult) error {
	if t.shelf != nil {
		return t.shelf.put(t.slot, r)
	}
	return t.run.folder.writeResult(t.folder, r)
}

// ended is the result of work that a context ended before it began.
func ended(cause error) *steps.Result {
	err := causeError(cause)
	r := &steps.Result{Status: steps.Cancelled, StopReason: steps.ReasonCancelled, Error: err}
	switch err.Kind {
	case steps.KindTimeout:
		r.Status, r.StopReason = steps.Stopped, steps.ReasonTimeout
	case steps.KindBudget:
		r.Status, r.StopReason = steps.Stopped, steps.ReasonBudget
	}
	return r
}
