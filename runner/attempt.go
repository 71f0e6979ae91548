package runner

import (
	"context"
	"fmt"
	"time"

	"github.com/a-seed-11b9befa/flow/steps"
)

// attempts tries the step as often as its retry says. What all attempts used
// is counted.
func (t *site) attempts(ctx context.Context) *StepResult {
	retry := t.step.Retry
	var spent spending
	for attempt := 1; ; attempt++ {
		result := t.attempt(attempt).do(ctx)
		spent = spent.and(&result.Result)
		result.spent(spent)
		result.Attempts = attempt
		if attempt >= retry.MaxAttempts || !mayRetry(result) || ctx.Err() != nil {
			return result
		}
		wait := backoff(retry.Backoff, retry.MaxBackoff, attempt)
		t.tell(Event{}, steps.Event{Type: steps.Retry, Attempt: attempt, Wait: wait, Error: result.Error.Message})
		if !sleep(ctx, wait) {
			return t.cutShort(result, context.Cause(ctx))
		}
		if err := t.run.folder.putAside(t.place, "attempt", attempt); err != nil {
			t.run.lost(fmt.Sprintf("attempt %d of step %q", attempt, t.path), err)
			return result
		}
	}
}

// do does what the step is there for, once.
func (t *site) do(ctx context.Context) *StepResult {
	switch step := t.step; {
	case step.Group != nil:
		return t.group(ctx)
	case step.Use != nil:
		return t.use(ctx)
	case step.Agent != nil:
		return t.leaf(t.agent(ctx))
	case step.Command != nil:
		return t.leaf(t.command(ctx))
	default:
		return t.leaf(t.call(ctx))
	}
}

// leaf is the result of a step that holds no others.
func (t *site) leaf(r steps.Result) *StepResult {
	result := t.result()
	result.Result = r
	return result
}

// mayRetry reports whether the step may end better another time. What took too
// long, was denied or cancelled, or was set up wrongly, does not.
func mayRetry(r *StepResult) bool {
	if r.Error == nil || r.Status == steps.Succeeded {
		return false
	}
	switch r.Error.Kind {
	case steps.KindTimeout, steps.KindBudget, steps.KindDenied, steps.KindCancelled, steps.KindConfiguration,
		steps.KindAuth, steps.KindInvalidWorkflow, steps.KindInvalidInput, steps.KindInternal:
		return false
	}
	return true
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

// sleep waits, and reports whether it could.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// cutShort is the result of a step whose context ended before it could be tried
// again: of the last attempt remains what it used and left.
func (t *site) cutShort(last *StepResult, cause error) *StepResult {
	end := ended(cause)
	last.Status, last.StopReason = end.Status, end.StopReason
	last.Error = &steps.Error{
		Kind: end.Error.Kind, Message: fmt.Sprintf("%s, before another attempt: %s", end.Error.Message, last.Error.Message),
		Hint: end.Error.Hint, Err: end.Error,
	}
	return last
}
