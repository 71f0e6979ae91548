package runner

import (
	"context"
	"time"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/steps"
)

// attempts tries the step as often as its retry says. What all attempts used
// is counted.
func (t *site) attempts(ctx context.Context) *StepResult {
	retry := t.step.Retry
	var spent steps.Result
	for attempt := 1; ; attempt++ {
		result := t.attempt(attempt).do(ctx)
		addSpent(&spent, &result.Result)
		result.Attempts = attempt
		result.Usage, result.CostUSD, result.Unpriced = spent.Usage, spent.CostUSD, spent.Unpriced
		if attempt >= retry.MaxAttempts || !mayRetry(result) || ctx.Err() != nil {
			return result
		}
		wait := backoff(retry.Backoff, retry.MaxBackoff, attempt)
		t.tell(Event{}, steps.Event{Type: steps.Retry, Attempt: attempt, Wait: wait, Error: result.Error.Message})
		if !sleep(ctx, wait) {
			return result
		}
		if err := t.run.folder.putAside(t.place, "attempt", attempt); err != nil {
			t.run.abort(asError(err))
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

// addSpent adds what r used to sum. A cost that is not known makes the sum
// unknown.
func addSpent(sum, r *steps.Result) {
	if r.Usage != nil {
		total := *r.Usage
		if sum.Usage != nil {
			total = providers.Usage.Add(*sum.Usage, total)
		}
		sum.Usage = &total
	}
	sum.Unpriced = union(sum.Unpriced, r.Unpriced)
	if r.CostUSD != nil {
		cost := *r.CostUSD
		if sum.CostUSD != nil {
			cost += *sum.CostUSD
		}
		sum.CostUSD = &cost
	}
}
