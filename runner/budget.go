package runner

import (
	"context"
	"fmt"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner/plan"
	"github.com/a-seed-11b9befa/flow/runner/record"
	"github.com/a-seed-11b9befa/flow/steps"
)

// A budget bounds what a run, and what a workflow that it uses, may spend. What is
// spent and reserved is in the plan's ledger; here is what an amount comes to, and
// how people are told of it.
type budget struct {
	tokens  int64   // 0: no bound
	costUSD float64 // 0: no bound
	price   func(model string, u providers.Usage) (float64, bool)
	around  *budget // of the workflow that uses this one; nil at the top
	option  string  // the option of the run that sets the bound on the cost, too; "": none

	warned bool // that it was overshot; e.mu is held
}

func newBudget(tokens int64, costUSD float64, price func(string, providers.Usage) (float64, bool), around *budget) *budget {
	return &budget{tokens: tokens, costUSD: costUSD, price: price, around: around}
}

func (b *budget) worth(model string, u providers.Usage) record.Amount {
	cost, _ := b.price(model, u)
	return record.Amount{Tokens: u.Total(), CostUSD: cost}
}

func (b *budget) worthOf(used []steps.Spent) (sum record.Amount) {
	for _, s := range used {
		sum = sum.Plus(b.worth(s.Model, s.Usage))
	}
	return sum
}

// requested is what a request is to be reserved for.
func (b *budget) requested(e steps.Estimate) plan.Request {
	return plan.Request{
		Input: e.InputTokens, Output: e.OutputTokens, LeastOutput: e.LeastOutput,
		Worth: func(input, output int64) record.Amount {
			return b.worth(e.Model, providers.Usage{InputTokens: input, OutputTokens: output})
		},
	}
}

// of is the budget of a ledger, which is that of l or one around it.
func (b *budget) of(l, wanted *plan.Ledger) *budget {
	for l != wanted {
		l, b = l.Around(), b.around
	}
	return b
}

// reserve waits until what a request may use fits, and reserves it. The caller
// settles that once what the request has used is written. The error is a
// [steps.Error] of the kind budget, or the context's cause.
func (t *site) reserve(ctx context.Context, estimate steps.Estimate) (grant steps.Grant, err error) {
	e, b := t.run.engine, t.in.budget
	request := b.requested(estimate)
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
			err = b.of(ledger, v.By).reached(v.By, request.Worth(request.Input, request.LeastOutput))
		}
		e.mu.Unlock()
		switch {
		case err != nil:
			return grant, err
		case !v.Wait:
			if grant.OutputTokens = v.Output; v.Bound != nil {
				grant.Cause = usedUp{b.of(ledger, v.Bound)}
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

// countInFlight counts what a request may have used that was in flight when flow was
// killed, and is made again now.
func (e *engine) countInFlight(t *site, r plan.Request) {
	e.mu.Lock()
	inFlight := t.node.inFlight
	t.node.inFlight = false
	e.mu.Unlock()
	if inFlight {
		spent := r.Worth(r.Input, r.Output)
		e.append(t.node, nil, record.Record{Kind: record.Decided, About: record.Inner, Unit: t.unit, Spent: spent}, nil)
	}
}

// unreserve ends a reservation.
func (t *site) unreserve(l *plan.Ledger, v plan.Verdict) {
	e, b := t.run.engine, t.in.budget
	var overshot []string
	e.mu.Lock()
	l.Settle(v)
	close(e.settled)
	e.settled = make(chan struct{})
	for ; l != nil; l, b = l.Around(), b.around {
		if !b.warned && b.exceeded(l.Spent()) {
			b.warned = true
			overshot = append(overshot, "the last answer was longer than the rest of the budget: "+b.told(l.Spent())+" are used")
		}
	}
	e.mu.Unlock()
	for _, message := range overshot {
		e.emit(&Event{Event: warning(message)})
	}
}

// exceeded reports whether more was spent than the budget is. One answer can do
// that: how long it gets is known when it is there.
func (b *budget) exceeded(spent record.Amount) bool {
	return b.tokens > 0 && spent.Tokens > b.tokens || b.costUSD > 0 && spent.CostUSD > b.costUSD
}

// costs reports whether it is the cost that an amount reaches, and not the tokens.
func (b *budget) costs(a record.Amount) bool {
	return b.costUSD > 0 && (b.tokens == 0 || a.Tokens < b.tokens)
}

// told is how much is used of the bound that what was spent reaches.
func (b *budget) told(spent record.Amount) string { return b.toldOf(spent, spent) }

func (b *budget) toldOf(reaches, spent record.Amount) string {
	if b.costs(reaches) {
		return fmt.Sprintf("%.4f of %.4f USD", spent.CostUSD, b.costUSD)
	}
	return fmt.Sprintf("%d of %d tokens", spent.Tokens, b.tokens)
}

// reached says that a request for so much does not fit.
func (b *budget) reached(l *plan.Ledger, more record.Amount) error {
	with, hint, option := l.Spent().Plus(more), "raise budget.tokens in the workflow", ""
	if b.costs(with) {
		hint, option = "raise budget.cost_usd in the workflow", b.option
	}
	return &steps.Error{
		Kind: steps.KindBudget, Hint: hint, Option: option,
		Message: "the run's budget is used up: " + b.toldOf(with, l.Spent()) + ", and the next request does not fit",
		Err:     usedUp{b},
	}
}

// limitsCost reports whether this budget, or one around it, has a bound on the
// cost.
func (b *budget) limitsCost() bool {
	return b != nil && (b.costUSD > 0 || b.around.limitsCost())
}
