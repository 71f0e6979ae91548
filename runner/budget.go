package runner

import (
	"context"
	"fmt"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/runner/plan"
	"github.com/a-seed-11b9befa/flow/steps"
)

// The bounds, the spending and the reservations of a workflow are in the plan's ledger. Here
// amounts get their worth, and messages their words.

func (in *instance) worth(model string, u providers.Usage) journal.Amount {
	cost, _ := in.price(model, u)
	return journal.Amount{Tokens: u.Total(), CostUSD: cost}
}

func (in *instance) worthOf(used []steps.Spent) (sum journal.Amount) {
	for _, s := range used {
		sum = sum.Plus(in.worth(s.Model, s.Usage))
	}
	return sum
}

// requested returns what to reserve for a request.
func (in *instance) requested(e steps.Estimate) plan.Request {
	return plan.Request{
		Input: e.InputTokens, Output: e.OutputTokens, LeastOutput: e.LeastOutput,
		Worth: func(input, output int64) journal.Amount {
			return in.worth(e.Model, providers.Usage{InputTokens: input, OutputTokens: output})
		},
	}
}

// owner returns the workflow whose ledger is bounds: this one, whose ledger is l, or one
// around it.
func (in *instance) owner(l, bounds *plan.Ledger) *instance {
	for l != bounds {
		l, in = l.Around(), in.caller
	}
	return in
}

// reserve waits until the budget has room for a request, and reserves what it may use. The
// caller settles the grant once the record of what the request used is written. The error is
// a [steps.Error] of the kind budget, or the context's cause.
func (t *site) reserve(ctx context.Context, estimate steps.Estimate) (grant steps.Grant, err error) {
	e, in := t.run.engine, t.in
	request := in.requested(estimate)
	e.countInFlight(t, request)
	for {
		e.mu.Lock()
		ledger, err := e.plan.Ledger(t.unit)
		if err != nil {
			e.mu.Unlock()
			return grant, err
		}
		v, settled := ledger.Reserve(request), e.settled
		if v.By != nil {
			err = in.owner(ledger, v.By).reached(v.By, request.Worth(request.Input, request.LeastOutput))
		}
		e.mu.Unlock()
		switch {
		case err != nil:
			return grant, err
		case !v.Wait:
			if grant.OutputTokens = v.Output; v.Bound != nil {
				grant.BudgetOf = in.owner(ledger, v.Bound).name()
			}
			grant.Settle = func([]steps.Spent) { t.unreserve(ledger, v) }
			return grant, nil
		}
		select {
		case <-settled:
		case <-ctx.Done():
			return grant, context.Cause(ctx)
		}
	}
}

// countInFlight records what a request may have used that was in flight when flow was killed,
// and that is made again now.
func (e *engine) countInFlight(t *site, r plan.Request) {
	e.mu.Lock()
	inFlight := t.node.inFlight
	e.mu.Unlock()
	if inFlight {
		spent := r.Worth(r.Input, r.Output)
		e.append(t.node, nil, journal.Record{Kind: journal.Decided, About: journal.Inner, Unit: t.unit, Spent: spent}, nil)
	}
}

// unreserve ends a reservation.
func (t *site) unreserve(l *plan.Ledger, v plan.Verdict) {
	e, in := t.run.engine, t.in
	var overshot []string
	e.mu.Lock()
	l.Settle(v)
	close(e.settled)
	e.settled = make(chan struct{})
	for ; l != nil; l, in = l.Around(), in.caller {
		if !in.overshot && l.Exceeded() {
			in.overshot = true
			overshot = append(overshot, "the last answer was longer than the rest of the budget: "+toldOf(l, l.Spent())+" are used")
		}
	}
	e.mu.Unlock()
	for _, message := range overshot {
		e.emit(&Event{Event: warning(message)})
	}
}

// costs reports whether an amount reaches the bound of the cost, and not that of the tokens.
func costs(bounds, a journal.Amount) bool {
	return bounds.CostUSD > 0 && (bounds.Tokens == 0 || a.Tokens < bounds.Tokens)
}

// toldOf says how much is used of the bound that an amount reaches.
func toldOf(l *plan.Ledger, reaches journal.Amount) string {
	bounds, spent := l.Bounds(), l.Spent()
	if costs(bounds, reaches) {
		return fmt.Sprintf("%s of %s USD", quantity.USD(spent.CostUSD), quantity.USD(bounds.CostUSD))
	}
	return fmt.Sprintf("%d of %d tokens", spent.Tokens, bounds.Tokens)
}

// reached returns the error for a request that does not fit.
func (in *instance) reached(l *plan.Ledger, more journal.Amount) error {
	with, hint, option := l.Spent().Plus(more), "raise budget.tokens in the workflow", ""
	if costs(l.Bounds(), with) {
		hint = "raise budget.cost_usd in the workflow"
		if in.caller == nil {
			option = OptionBudgetUSD
		}
	}
	return &steps.Error{
		Kind: steps.KindBudget, Hint: hint, Option: option,
		Message:  "the run's budget is used up: " + toldOf(l, with) + ", and the next request does not fit",
		BudgetOf: in.name(),
	}
}

// limitsCost reports whether this workflow, or one around it, bounds the cost.
func (in *instance) limitsCost() bool {
	if in.Budget.CostUSD > 0 {
		return true
	}
	if in.caller == nil {
		return in.run.BudgetUSD != nil
	}
	return in.caller.limitsCost()
}
