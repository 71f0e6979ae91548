package runner

import (
	"context"
	"math"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// budget returns what the run may spend.
func (e *exec) budget(w *workflows.Workflow) workflows.Budget {
	b := w.Budget
	if e.BudgetUSD != nil {
		b.CostUSD = max(*e.BudgetUSD, math.SmallestNonzeroFloat64) // 0 would be no limit
	}
	return b
}

func (in *instance) worth(model string, u providers.Usage) journal.Amount {
	cost, _ := in.price(model, u)
	return journal.Amount{Tokens: u.Total(), CostUSD: cost}
}

// reserve is [account.reserve] for a request of the step. One that is made again, since flow
// was killed while it was in flight, is counted as spent first: it may have used all of that.
func (u *unit) reserve(ctx context.Context, estimate steps.Estimate) (steps.Grant, error) {
	r := request{estimate, func(input, output int64) journal.Amount {
		return u.in.worth(estimate.Model, providers.Usage{InputTokens: input, OutputTokens: output})
	}}
	if u.inFlight {
		u.inFlight = false
		u.recordFact(journal.Record{Kind: journal.Decided, About: journal.Inner, Unit: u.unit, Spent: r.longest()}, nil)
	}
	return u.account.reserve(ctx, r)
}

// limitsCost reports whether this workflow, a step of it, or one around it, bounds the cost.
func (in *instance) limitsCost() bool {
	if in.LimitsCost() {
		return true
	}
	if in.caller == nil {
		return in.exec.BudgetUSD != nil
	}
	return in.caller.limitsCost()
}
