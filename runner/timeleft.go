package runner

import (
	"context"
	"fmt"
	"time"

	"github.com/a-seed-11b9befa/flow/steps"
)

// A timeLeft is when the budget of time of a workflow or a step, or of one around it, is used up. Nil
// sets no bound. It bounds steps that work, but not the lists around them, so that steps with
// failure() or always() still run.
type timeLeft struct {
	until time.Time
	cause *steps.Error
}

// within returns the time left for a workflow, or a step, that begins now; a limit of 0 is none.
func (t *timeLeft) within(limit time.Duration, cause *steps.Error) *timeLeft {
	if limit <= 0 {
		return t
	}
	until := time.Now().Add(limit)
	if t != nil && t.until.Before(until) {
		return t
	}
	return &timeLeft{until, cause}
}

// timeUsedUp returns the error of a budget of time that is used up: of a workflow, or of a step with
// that path.
func timeUsedUp(limit time.Duration, of, step string) *steps.Error {
	whose := "the run's time budget"
	if step != "" {
		whose = fmt.Sprintf("the time budget of %q", step)
	}
	return &steps.Error{
		Kind: steps.KindBudget, Message: fmt.Sprintf("%s (%v) is used up", whose, limit), Hint: raiseBudget("time", step), BudgetOf: of,
	}
}

// bound returns a context that ends when the time is up.
func (t *timeLeft) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	if t == nil {
		return ctx, func() {}
	}
	return context.WithDeadlineCause(ctx, t.until, t.cause)
}
