package runner

import (
	"context"
	"fmt"
	"time"

	"github.com/a-seed-11b9befa/flow/steps"
)

// A timeLeft is when the budget of time of a workflow, or of one around it, is used up. Nil
// sets no bound. It bounds steps that work, but not the lists around them, so that steps with
// failure() or always() still run.
type timeLeft struct {
	until time.Time
	cause *steps.Error
}

// within returns the time left for a workflow that begins now.
func (t *timeLeft) within(in *instance) *timeLeft {
	if in.Budget.Time <= 0 {
		return t
	}
	until := time.Now().Add(in.Budget.Time)
	if t != nil && t.until.Before(until) {
		return t
	}
	return &timeLeft{until, &steps.Error{
		Kind: steps.KindBudget, Message: fmt.Sprintf("budget of time %v is used up", in.Budget.Time),
		Hint: "raise budget.time in the workflow", BudgetOf: in.name(),
	}}
}

// bound returns a context that ends when the time is up.
func (t *timeLeft) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	if t == nil {
		return ctx, func() {}
	}
	return context.WithDeadlineCause(ctx, t.until, t.cause)
}
