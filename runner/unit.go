package runner

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/runner/history"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A unit is a step of a list, or an element of a foreach, that runs in this process, in a
// goroutine of its own.
type unit struct {
	*site                   // of the attempt, if one works: with its number and, once it is rendered, in its own folder
	home      *site         // outside of attempts
	earlier   *history.Unit // what the records said of it before this process, or when the last attempt with steps inside began
	on        frontier      // what it depends on
	needsMet  bool          // none of the steps that it needs failed
	isElement bool
	ticket    *ticket // its place in the line for a slot, and then the slot; nil: it has none

	number      int           // of the attempt
	deadline    time.Time     // of the attempts, by the step's timeout; zero: there is none, or it has not begun
	began       time.Time     // zero: it has not
	before      time.Duration // how long processes had worked in the run by then
	told        bool          // its start is emitted
	endRecorded bool          // its end is recorded
	assumed     bool          // in a dry run: something of it could not be decided

	attempt
}

// works reports whether the unit does something itself, for which it needs a slot.
func (u *unit) works() bool {
	return u.step.Works() && (u.isElement || u.step.Foreach == nil)
}

// run runs the unit to its end, or until it waits for a person. A bug in flow is a failure of
// the unit.
func (u *unit) run() *StepResult {
	defer u.releaseSlot()
	if e := u.earlier; e.IsOpen() {
		u.began, u.before = e.Began, e.Before
	}
	r := u.guarded(func() *StepResult {
		if u.isElement && !u.labelled {
			u.labelled, u.label = true, u.labelFor(u.base, u.item) // may read files
		}
		u.home = u.site
		return u.dispatch()
	})
	if r.Status == steps.Waiting {
		inside := r.withdraw
		r.withdraw = func() *StepResult { return u.withdrawn(inside) }
		return r
	}
	end := u.guarded(func() *StepResult { return u.finishOnce(r) })
	if end != r {
		u.breaks(end.Error)
	}
	return end
}

// launch has the unit run in a goroutine of its own, which hands over what it comes to. The line for a slot is in the
// order in which units are launched.
func (u *unit) launch(hand func(*StepResult)) {
	if u.works() && u.step.Question == nil {
		u.ticket = u.slots.ticket()
	}
	u.barrier.enter()
	u.workers.Go(func() { hand(u.run()) })
}

// noteOnce warns that the unit counts although it is older than what it depends on.
func (e *exec) noteOnce(u journal.Address) {
	e.note(u, "it is not run again although a step that it depends on was, because it has once: true and has started")
}

// finishOnce ends the unit, unless that is done.
func (u *unit) finishOnce(r *StepResult) *StepResult {
	if u.endRecorded {
		return r
	}
	return u.finish(r)
}

// withdrawn ends the unit, which waited for a person, after what waits inside it.
func (u *unit) withdrawn(inside func() *StepResult) *StepResult {
	if inside != nil {
		return u.finishOnce(inside())
	}
	return u.finish(u.resultOf(steps.Interrupted(u.stop())))
}

func (u *unit) dispatch() *StepResult {
	step := u.step
	if step.If != nil && !u.isElement {
		if r := u.decideIf(); r != nil {
			return r
		}
	}
	switch {
	case step.Foreach != nil && !u.isElement:
		return u.foreach()
	case step.End != nil:
		return u.runEnd()
	case step.Works():
		return u.runWork()
	}
	return u.composite()
}

// address returns the unit's address, without an attempt.
func (u *unit) address() journal.Address { return u.unit.WithAttempt(0) }

// context returns the context of what the unit does: it ends by what bounds the unit, and when the
// run is interrupted.
func (u *unit) context() (context.Context, context.CancelFunc) {
	return u.joined(u.bounds())
}

// joined returns a context that also ends when the run is interrupted.
func (u *unit) joined(around context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := endingWith(around, u.interruption())
	return u.dry.contextOf(u, ctx), cancel
}

// endingWith returns a context that also ends with another one.
func endingWith(ctx, other context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	end := func() { cancel(context.Cause(other)) }
	stop := context.AfterFunc(other, end)
	if other.Err() != nil { // so that nothing begins meanwhile
		end()
	}
	return ctx, func() { stop(); cancel(nil) }
}

// stop returns why the unit has to end; nil if it does not. [unit.context] ends a little later. An
// interruption comes first: what it ends counts as failed beside the unit.
func (u *unit) stop() error {
	if interruption := u.interruption(); interruption.Err() != nil {
		return context.Cause(interruption)
	}
	if of := u.bounds(); of.Err() != nil {
		return context.Cause(of)
	}
	return nil
}

// skips ends the unit as one that does not run, unless an earlier process recorded that already.
func (u *unit) skips(recorded *history.Unit) *StepResult {
	if recorded.Ended != 0 && recorded.Status == steps.Skipped && recorded.EndSeq >= u.records.Changed {
		if r, err := u.store.result(recorded); err == nil {
			r.id, u.endRecorded = u.step.ID, true
			return r
		}
	}
	return u.finish(u.resultOf(steps.Result{Status: steps.Skipped}))
}

// finish records the result of the unit, and emits its event.
func (u *unit) finish(r *StepResult) *StepResult {
	u.dry.ends(u, r)
	own := u.complete(r)
	event := Event{
		Unit: u.address(), Status: r.Status, Reason: r.StopReason, Continued: r.Continued(), Failure: r.Error, Turns: r.Turns, Calls: r.ToolCalls, Label: r.Label,
		Tolerated: r.Continued() || !r.fatal && !r.good() && r.Status != steps.Cancelled && u.tolerated,
		Counts:    r.Counts, Came: new(r.Numbers()), Event: steps.Event{Type: StepFinished},
	}
	if r.Duration != nil {
		event.Elapsed = time.Duration(*r.Duration) * time.Millisecond
	}
	if u.step.End != nil {
		event.Message = r.Text
	}
	record := journal.Record{
		Kind: journal.Ended, Unit: u.address(), Status: r.Status, ErrorKind: kindOf(r.Error), Forgiven: r.forgive, Fatal: r.fatal, Used: own,
	}
	u.recordResult(record, r, event)
	u.endRecorded = true
	return r
}

// complete completes the result of the unit. It returns what no record has yet of what was used.
func (u *unit) complete(r *StepResult) (own *steps.Used) {
	if r.Error != nil && r.inner == nil && r.elements == nil {
		r.fatal = fatal(r.Error)
	}
	if r.Error != nil && r.Error.Continues {
		r.forgive = true
	}
	if r.Status == steps.Cancelled && !u.isElement && context.Cause(u.beside) == errEnded {
		r.forgive, r.fatal, r.Error = true, false, nil // what ended beside it is no failure
	}
	if !reflect.ValueOf(r.Used).IsZero() {
		own = new(r.Used)
		own.Denied = nil
	}
	r.Used = u.used(u.address()).Plus(r.Used)
	if !u.began.IsZero() {
		r.Started, r.Duration = new(u.began.UTC()), new((u.took() - u.before).Milliseconds())
	}
	r.shelve(u.folder)
	return own
}

// recordResult records a result. If the journal does not have it exactly, because a secret in it is
// hidden there, it is not read back from there.
func (u *unit) recordResult(record journal.Record, r *StepResult, events ...Event) {
	p := &entry{record: record, what: fmt.Sprintf("result of step %q", u.unit.Path()), events: events}
	p.record.Data, p.failed = jsonline.Encode(r.journaled())
	r.exact = p.failed == nil && u.isElement && u.isExact(p.record.Data)
	u.append(p)
	r.at = p.record.At
}

// start emits that the unit begins, in this process.
func (u *unit) start() {
	if u.told {
		return
	}
	u.told = true
	u.noteBegin(time.Now())
	u.tell(Event{Unit: u.address(), StepKind: string(u.step.Kind), Item: u.itemText(), Label: u.label, Event: steps.Event{Type: StepStarted}})
}

// noteBegin notes that the unit begins, unless it has begun.
func (u *unit) noteBegin(at time.Time) {
	if u.began.IsZero() {
		u.began, u.before = at, u.took()
	}
}

// retry records that an attempt has failed and another one follows, if one may. It returns how long to
// wait for that.
func (u *unit) retry(r *StepResult) (wait time.Duration, follows bool) {
	if u.step.Retry.MaxAttempts < 2 {
		return 0, false
	}
	wait, may := waitAfter(u.historyOf(u.address()).Tries, u.step.Retry)
	if !may || !retryable(r) || u.barred() != nil || u.hasOnce() {
		return 0, false
	}
	own := u.complete(r)
	attempt := u.unit.WithAttempt(u.number)
	p := &entry{record: journal.Record{
		Kind: journal.Again, Unit: attempt, Status: r.Status, ErrorKind: kindOf(r.Error), Until: time.Now().UTC().Add(wait), Used: own,
	}, data: r.journaled()}
	p.events = []Event{{Unit: attempt.WithAttempt(u.number + 1), Event: steps.Event{Type: steps.Retry, Attempt: u.number, Wait: wait, Error: r.Error.Message}}}
	u.append(p)
	u.number++
	return wait, true
}

// waitAfter returns how long to wait before another attempt, if one may follow after so many others.
func waitAfter(failed int, retry workflows.Retry) (wait time.Duration, may bool) {
	if failed+1 >= retry.MaxAttempts {
		return 0, false
	}
	wait = retry.Backoff
	for range failed {
		if wait *= 2; wait >= retry.MaxBackoff {
			break
		}
	}
	return min(wait, retry.MaxBackoff), true
}

// retryable reports whether an attempt has failed and another one may succeed. It can't after a
// timeout, a denial, a cancellation, or a mistake in the set-up.
func retryable(r *StepResult) bool {
	if r.Error == nil || r.Status == steps.Succeeded {
		return false
	}
	switch r.Error.Kind {
	case steps.KindTimeout, steps.KindBudget, steps.KindDenied, steps.KindCancelled, steps.KindInvalidWorkflow, steps.KindInvalidInput, steps.KindInternal:
		return false
	}
	return !fatal(r.Error)
}

// hasOnce reports whether something in the unit has begun that may begin only once.
func (u *unit) hasOnce() bool {
	is := u.historyOf(u.address())
	return is.Once || is.CalledOnce
}

// cutShort makes the result of a unit that failed and can't be tried again any more.
func cutShort(r, last *StepResult, cause error) *StepResult {
	end := steps.Interrupted(cause)
	r.Result, r.Attempts, r.Rounds = last.Result, last.Attempts, last.Rounds
	r.Used = steps.Used{}
	r.Status, r.StopReason = end.Status, end.StopReason
	failure := *end.Error
	failure.Message, failure.Err = fmt.Sprintf("%s, before another attempt: %s", failure.Message, last.Error.Message), end.Error
	r.Error = &failure
	return r
}

func timeIsUp(after time.Duration) error {
	return &steps.Error{Kind: steps.KindTimeout, Message: fmt.Sprintf("timeout after %v", after), Hint: "raise the timeout of the step"}
}
