package runner

import (
	"context"
	"fmt"
	"time"

	"github.com/a-seed-11b9befa/flow/runner/record"
	"github.com/a-seed-11b9befa/flow/steps"
)

// attempts tries the step as often as its retry says. What all attempts used
// is counted.
func (t *site) attempts(ctx context.Context, line *ticket) *StepResult {
	var err error
	if t.kept, err = t.answers(); err != nil {
		return t.leaf(failed(err))
	}
	var last *StepResult
	past := t.run.history.of(t.unit)
	spent, err := t.sunk(past)
	if err != nil {
		return t.leaf(failed(err))
	}
	repeat(ctx, t.step.Retry.MaxAttempts, func(n int) outcome {
		if n += past.base; n == past.base+1 && n > 1 && n > past.most && !t.putAside("attempt", n-1) {
			return bad
		}
		if n > past.base+1 && !t.anew(ctx, line, n, n-past.base, last) {
			return bad
		}
		if known := t.attempted(n); known != nil {
			last = known
			spent = spending{}.and(&last.Result) // with that of those before
			return again
		}
		last = t.attempt(n).do(ctx)
		t.settle(last)
		last.Attempts = n
		spent = spent.and(&last.Result)
		last.spent(spent)
		return attempted(last)
	})
	if last == nil {
		return t.leaf(*ended(context.Cause(ctx)))
	}
	return last
}

// anew makes ready for attempt n: it waits, without the slot, and puts aside
// what the last one has left. Where there is to be no other attempt, last says
// why.
func (t *site) anew(ctx context.Context, line *ticket, n, nth int, last *StepResult) bool {
	wait := backoff(t.step.Retry.Backoff, t.step.Retry.MaxBackoff, nth-1)
	if past := t.run.history.in(t.unit.WithAttempt(n)); past.rested || past.began != nil {
		return true
	} else if past := t.run.history.in(t.unit.WithAttempt(n - 1)); past.again != nil {
		wait = max(min(wait, time.Until(past.again.Until)), 0)
	} else {
		t.again(n-1, last, wait)
	}
	t.tell(Event{Unit: t.unit.WithAttempt(n)}, steps.Event{Type: steps.Retry, Attempt: n - 1, Wait: wait, Error: last.Error.Message})
	ctx, cancel := t.timeLeft.bound(ctx)
	defer cancel()
	if err := line.rest(ctx, wait); err != nil {
		last.cutShort(err)
		return false
	}
	t.attempt(n).decided(record.Record{About: record.Rested}, nil)
	return t.putAside("attempt", n-1)
}

// putAside makes room for what the next attempt or round leaves. A run that
// can't write that down ends.
func (t *site) putAside(what string, n int) bool {
	err := t.run.folder.putAside(t.folder, what, n)
	if err != nil {
		t.run.lost(fmt.Sprintf("%s %d of step %q", what, n, t.path), err)
	}
	return err == nil
}

// attempted is what an attempt came to before, of which it is known that another
// one follows; nil of any other.
func (t *site) attempted(n int) *StepResult {
	past := t.run.history.in(t.unit.WithAttempt(n))
	if past.again == nil {
		return nil
	}
	known, err := t.run.history.result(past.again)
	if err != nil {
		t.run.lost(fmt.Sprintf("attempt %d of step %q", n, t.path), err)
		return nil
	}
	r := t.result()
	r.Result, r.Attempts = known.Result, n
	return r
}

// sunk is what attempts have used that no longer count.
func (t *site) sunk(past pastUnit) (spent spending, err error) {
	if past.base == 0 || past.ended == nil {
		return spent, nil
	}
	before, err := t.run.history.result(past.ended)
	if err != nil {
		return spent, err
	}
	return spent.and(&before.Result), nil
}

// beginOnce writes that a group begins, unless it goes on.
func (t *site) beginOnce() {
	if t.run.history.in(t.unit).began == nil {
		t.began(nil)
	}
}

// do does what the step is there for, once.
func (t *site) do(ctx context.Context) *StepResult {
	t, err := t.settled(ctx)
	if err != nil {
		return t.leaf(unprepared(ctx, err))
	}
	switch step := t.step; {
	case step.Group != nil:
		return t.group(ctx)
	case step.Use != nil:
		return t.use(ctx)
	default:
		return t.leaf(t.work(ctx))
	}
}

// leaf is the result of a step that holds no others.
func (t *site) leaf(r steps.Result) *StepResult {
	result := t.result()
	result.Result = r
	return result
}

// attempted is the outcome of an attempt. What took too long, was denied or
// cancelled, or was set up wrongly, does not end better another time.
func attempted(r *StepResult) outcome {
	if r.Error == nil || r.Status == steps.Succeeded {
		return good
	}
	switch r.Error.Kind {
	case steps.KindTimeout, steps.KindDenied, steps.KindCancelled, steps.KindInvalidWorkflow, steps.KindInvalidInput, steps.KindInternal:
		return bad
	}
	if fatal(r.Error) {
		return bad
	}
	return again
}

func backoff(first, most time.Duration, attempt int) time.Duration {
	wait := first
	for range attempt - 1 {
		if wait *= 2; wait >= most {
			return most
		}
	}
	return min(wait, most)
}

// cutShort makes of the last attempt's result that of a step whose context
// ended before it could be tried again: what the attempt used and left remains.
func (r *StepResult) cutShort(cause error) {
	end := ended(cause)
	r.Status, r.StopReason = end.Status, end.StopReason
	r.Error = &steps.Error{
		Kind: end.Error.Kind, Message: fmt.Sprintf("%s, before another attempt: %s", end.Error.Message, r.Error.Message),
		Hint: end.Error.Hint, Option: end.Error.Option, Err: end.Error,
	}
}
