package runner

import (
	"context"
	"fmt"
	"math"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

// A request is what a request to a model may use.
type request struct {
	steps.Estimate                                        // the last one of an agent is held to no budget that goes on
	worth          func(input, output int64) tools.Amount // of tokens; the cost is 0 if it is not known
}

func (r request) shortest() tools.Amount { return r.worth(r.InputTokens, r.LeastOutput) }
func (r request) longest() tools.Amount  { return r.worth(r.InputTokens, r.OutputTokens) }

// reserve is [budget.reserve] for a request of the step. One that is made again, since flow
// was killed while it was in flight, is counted as spent first: it may have used all of that.
func (u *unit) reserve(ctx context.Context, estimate steps.Estimate) (steps.Grant, error) {
	r := request{estimate, func(input, output int64) tools.Amount {
		return u.in.worth(estimate.Model, providers.Usage{InputTokens: input, OutputTokens: output})
	}}
	if u.inFlight {
		u.inFlight = false
		u.recordFact(journal.Record{Kind: journal.Decided, About: journal.Inner, Unit: u.unit, Spent: r.longest()}, nil)
	}
	return u.budget.reserve(ctx, r)
}

func (in *instance) worth(model string, u providers.Usage) tools.Amount {
	cost, _ := in.price(model, u)
	return tools.Amount{Tokens: u.Total(), CostUSD: cost}
}

// take counts what a record says was used.
func (b *budget) take(r *journal.Record) {
	perhaps := tools.Amount{}
	if r.About == journal.Inner && r.Data == nil {
		perhaps = r.Spent
	}
	b.count(r.Amount(), perhaps)
}

// count counts what was used, and how much of that nobody knows for certain.
func (b *budget) count(used, perhaps tools.Amount) {
	if used == (tools.Amount{}) {
		return
	}
	b.room.L.Lock()
	defer b.room.L.Unlock()
	for at := b; at != nil; at = at.outer {
		at.spent, at.perhaps = at.spent.Plus(used), at.perhaps.Plus(perhaps)
	}
}

// reserve waits until all budgets have room for a request beside those in flight, and
// reserves what it may use. A request that is alone has room as long as the rest pays for a
// useful answer, to which the grant limits the answer. The grant is settled after what the
// request used is spent. The error is a [steps.Error] of the kind budget, or the context's
// cause.
func (b *budget) reserve(ctx context.Context, r request) (grant steps.Grant, err error) {
	grant, by, err := b.admit(ctx, r)
	if by != nil && by.goesOn() {
		if why := by.end(err.(*steps.Error)); why != nil {
			err = why
		}
	}
	return grant, err
}

// admit is [budget.reserve], and returns the budget that refuses the request; nil if none does.
func (b *budget) admit(ctx context.Context, r request) (grant steps.Grant, by *budget, err error) {
	b.room.L.Lock()
	defer b.room.L.Unlock()
	for least := r.shortest(); ; {
		if by = b.refusing(least, r.Last); by != nil {
			return grant, by, by.usedUp(least)
		}
		if !b.isFull(r.longest(), r.Last) {
			return b.grant(r), nil, nil
		}
		if err := b.wait(ctx); err != nil {
			return grant, nil, err
		}
	}
}

// refusing returns the outermost budget that has ended, or whose limit an amount reaches, whatever the
// requests in flight use; nil if there is none.
func (b *budget) refusing(more tools.Amount, last bool) (by *budget) {
	for ; b != nil; b = b.outer {
		if b.binds(last) && (b.why.Load() != nil || b.reached(b.spent.Plus(more)) != nil) {
			by = b
		}
	}
	return by
}

// binds reports whether the budget bounds a request: one that goes on leaves an agent its last one.
func (b *budget) binds(last bool) bool { return !last || !b.goesOn() }

// isFull reports whether an amount has no room beside the requests in flight.
func (b *budget) isFull(more tools.Amount, last bool) bool {
	for ; b != nil; b = b.outer {
		if b.binds(last) && b.inFlight > 0 && b.reached(b.spent.Plus(b.reserved).Plus(more)) != nil {
			return true
		}
	}
	return false
}

// reached returns the measure in which an amount reaches the limit; nil if it reaches none.
func (b *budget) reached(x tools.Amount) *measure {
	for i := range measures {
		m := &measures[i]
		if limit := m.of(b.limit); limit > 0 && m.of(x) >= limit {
			return m
		}
	}
	return nil
}

// wait waits until a request is no longer in flight. The lock is held.
func (b *budget) wait(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() {
		b.room.L.Lock()
		defer b.room.L.Unlock()
		b.room.Broadcast()
	})
	defer stop()
	b.room.Wait()
	return context.Cause(ctx)
}

// grant reserves what a request may use.
func (b *budget) grant(r request) (grant steps.Grant) {
	for at := b; at != nil; at = at.outer {
		if at.goesOn() {
			continue // it ends an agent between two requests
		}
		if most := at.rest(r); most > 0 && (grant.OutputTokens == 0 || most < grant.OutputTokens) {
			grant.OutputTokens, grant.BudgetOf = most, at.of
		}
	}
	if most := grant.OutputTokens; most > 0 {
		r.OutputTokens = min(r.OutputTokens, most)
	}
	reserved := r.longest()
	for at := b; at != nil; at = at.outer {
		at.reserved = at.reserved.Plus(reserved)
		at.inFlight++
	}
	grant.Settle = func([]steps.Spent) { b.settle(reserved) }
	return grant
}

// rest returns for how many tokens of an answer the budget pays; 0 sets no limit.
func (b *budget) rest(r request) (most int64) {
	const million = 1_000_000
	input := r.worth(r.InputTokens, 0)
	left := b.limit.Minus(b.spent).Minus(b.reserved).Minus(input)
	perMillion := r.worth(r.InputTokens, million).Minus(input)
	for _, m := range measures {
		if m.of(b.limit) <= 0 || m.of(perMillion) <= 0 {
			continue
		}
		paid := max(int64(min(m.of(left)/m.of(perMillion)*million, math.MaxInt32)+1e-6), 1)
		if most == 0 || paid < most {
			most = paid
		}
	}
	return most
}

// settle ends a reservation, and warns of each budget that is overspent by now. A single
// answer can do that, since its length is not known before it has come.
func (b *budget) settle(reserved tools.Amount) {
	var overspent []string
	b.room.L.Lock()
	for at := b; at != nil; at = at.outer {
		at.reserved = at.reserved.Minus(reserved)
		at.inFlight--
		if m := at.reached(at.spent); m != nil && m.of(at.spent) > m.of(at.limit) && !at.overspent {
			at.overspent = true
			overspent = append(overspent, "the last answer went over "+at.name("budget")+": "+at.used(m))
		}
	}
	b.room.Broadcast()
	b.room.L.Unlock()
	for _, text := range overspent {
		b.warn(text)
	}
}

// A measure is one in which a budget is limited.
type measure struct {
	of   func(tools.Amount) float64
	say  func(tools.Amount) string
	unit string
	need string // what a request does with so much of it
	key  string // of the budget in a workflow
}

var measures = []measure{
	{
		func(x tools.Amount) float64 { return float64(x.Tokens) }, func(x tools.Amount) string { return quantity.Thousands(x.Tokens) },
		"tokens", "need", "tokens",
	},
	{
		func(x tools.Amount) float64 { return x.CostUSD }, func(x tools.Amount) string { return quantity.USD(x.CostUSD) },
		"USD", "cost", "cost_usd",
	},
}

// usedUp returns the error for a request that the budget refuses.
func (b *budget) usedUp(next tools.Amount) *steps.Error {
	if why := b.why.Load(); why != nil {
		return why
	}
	m := b.reached(b.spent.Plus(next))
	err := &steps.Error{Kind: steps.KindBudget, Hint: b.raise(m.key), BudgetOf: b.of, Continues: b.goesOn()}
	if m.key == "cost_usd" && b.of == "" {
		err.Option = OptionBudgetUSD
	}
	if b.reached(b.spent) != nil {
		err.Message = b.name("budget") + " is used up: " + b.used(m)
		return err
	}
	left := b.limit.Minus(b.spent)
	err.Message = fmt.Sprintf("%s is too small: the next request may %s %s %s or more, and %s of %s are left", b.name("budget"), m.need, m.say(next), m.unit, m.say(left), m.say(b.limit))
	if b.perhaps != (tools.Amount{}) {
		err.Message += " (" + b.used(m) + ")"
	}
	return err
}

// used says how much is used of the limit in a measure.
func (b *budget) used(m *measure) string {
	text := fmt.Sprintf("%s of %s %s used", m.say(b.spent.Minus(b.perhaps)), m.say(b.limit), m.unit)
	if b.perhaps != (tools.Amount{}) {
		text += ", and up to " + m.say(b.perhaps) + " by requests that were in flight when flow was killed"
	}
	return text
}
