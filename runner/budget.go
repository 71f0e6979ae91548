package runner

import (
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/steps"
)

// A budget bounds what a run, and what a workflow that it uses, may spend. What
// a request may cost is reserved before it is made, so that requests that run
// side by side can't overshoot together: one that does not fit beside the
// others waits until they are settled. Alone, one is let through as long as
// what is left pays for an answer of use; it may be no longer than that.
type budget struct {
	tokens  int64   // 0: no bound
	costUSD float64 // 0: no bound
	price   func(model string, u providers.Usage) (float64, bool)
	around  *budget // of the workflow that uses this one; nil at the top
	option  string  // the option of the run that sets the bound on the cost, too; "": none
	warn    func(message string)

	mu       sync.Mutex
	spent    amount
	reserved amount
	holders  int
	settled  chan struct{} // closed, and made anew, when a reservation ends
}

type amount struct {
	tokens  int64
	costUSD float64
}

func (a amount) add(b amount) amount {
	return amount{a.tokens + b.tokens, a.costUSD + b.costUSD}
}

func (a amount) subtract(b amount) amount {
	return amount{a.tokens - b.tokens, a.costUSD - b.costUSD}
}

func newBudget(tokens int64, costUSD float64, price func(string, providers.Usage) (float64, bool), around *budget) *budget {
	return &budget{tokens: tokens, costUSD: costUSD, price: price, around: around, settled: make(chan struct{})}
}

// reserve waits until the estimate fits, and takes it. The caller settles it
// with what the request really used. The error is a [steps.Error] of the kind
// budget, or the context's cause.
func (b *budget) reserve(ctx context.Context, e steps.Estimate) (grant steps.Grant, err error) {
	var outer steps.Grant
	if b.around != nil {
		if outer, err = b.around.reserve(ctx, e); err != nil {
			return outer, err
		}
	}
	most, taken, err := b.wait(ctx, e)
	if err != nil {
		if outer.Settle != nil {
			outer.Settle(nil)
		}
		return grant, err
	}
	grant.OutputTokens, grant.Cause = outer.OutputTokens, outer.Cause
	if shorter(outer.OutputTokens, most) != outer.OutputTokens {
		grant.OutputTokens, grant.Cause = most, usedUp{b}
	}
	grant.Settle = func(used []steps.Spent) {
		b.settle(taken, b.worthOf(used))
		if outer.Settle != nil {
			outer.Settle(used)
		}
	}
	return grant, nil
}

// shorter is the smaller of two bounds, of which 0 is none.
func shorter(a, b int64) int64 {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}

func (b *budget) worth(model string, u providers.Usage) amount {
	cost, _ := b.price(model, u)
	return amount{u.Total(), cost}
}

func (b *budget) worthOf(used []steps.Spent) (sum amount) {
	for _, s := range used {
		sum = sum.add(b.worth(s.Model, s.Usage))
	}
	return sum
}

// estimated is what a request comes to with an answer of so many tokens.
func (b *budget) estimated(e steps.Estimate, output int64) amount {
	return b.worth(e.Model, providers.Usage{InputTokens: e.InputTokens, OutputTokens: output})
}

func (b *budget) wait(ctx context.Context, e steps.Estimate) (most int64, taken amount, err error) {
	for {
		most, taken, settled, err := b.take(e)
		if settled == nil {
			return most, taken, err
		}
		select {
		case <-settled:
		case <-ctx.Done():
			return 0, taken, context.Cause(ctx)
		}
	}
}

// take takes the reservation, or refuses it, or returns what to wait for. most
// is how long the answer may be, in tokens; 0 sets no bound.
func (b *budget) take(e steps.Estimate) (most int64, taken amount, settled <-chan struct{}, err error) {
	want, least := b.estimated(e, e.OutputTokens), b.estimated(e, e.LeastOutput)
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.over(b.spent.add(least)):
		return 0, taken, nil, b.reached(least)
	case b.holders > 0 && b.over(b.spent.add(b.reserved).add(want)):
		return 0, taken, b.settled, nil
	}
	most = b.affords(e)
	if most > 0 && most < e.OutputTokens {
		want = b.estimated(e, most)
	}
	b.reserved = b.reserved.add(want)
	b.holders++
	return most, want, nil, nil
}

// affords is how long an answer, in tokens, what is left pays for, beside what
// is reserved for others; 0 where there is no bound.
func (b *budget) affords(e steps.Estimate) (most int64) {
	gone := b.spent.add(b.reserved).add(b.estimated(e, 0))
	if b.tokens > 0 {
		most = max(b.tokens-gone.tokens, 1)
	}
	const million = 1_000_000
	price, known := b.price(e.Model, providers.Usage{OutputTokens: million})
	if b.costUSD > 0 && known && price > 0 {
		paid := (b.costUSD - gone.costUSD) / price * million
		most = shorter(most, max(int64(min(paid, math.MaxInt32)+1e-6), 1))
	}
	return most
}

func (b *budget) settle(want, used amount) {
	overshot := b.count(want, used)
	if overshot != "" && b.warn != nil {
		b.warn(overshot)
	}
}

// count ends a reservation. It returns what is to be warned of, if anything.
func (b *budget) count(want, used amount) (overshot string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	before := b.over(b.spent)
	b.reserved = b.reserved.subtract(want)
	b.holders--
	b.spent = b.spent.add(used)
	close(b.settled)
	b.settled = make(chan struct{})
	if before || !b.exceeded() {
		return ""
	}
	return "the last answer was longer than the rest of the budget: " + b.told(b.spent) + " are used"
}

// exceeded reports whether more was spent than the budget is. One answer can do
// that: how long it gets is known when it is there.
func (b *budget) exceeded() bool {
	return b.tokens > 0 && b.spent.tokens > b.tokens || b.costUSD > 0 && b.spent.costUSD > b.costUSD
}

func (b *budget) over(a amount) bool {
	return b.tokens > 0 && a.tokens >= b.tokens || b.costUSD > 0 && a.costUSD >= b.costUSD
}

// costs reports whether it is the cost that an amount reaches, and not the tokens.
func (b *budget) costs(a amount) bool {
	return b.costUSD > 0 && (b.tokens == 0 || a.tokens < b.tokens)
}

// told is how much is used of the bound that an amount reaches.
func (b *budget) told(a amount) string {
	if b.costs(a) {
		return fmt.Sprintf("%.4f of %.4f USD", b.spent.costUSD, b.costUSD)
	}
	return fmt.Sprintf("%d of %d tokens", b.spent.tokens, b.tokens)
}

// reached says that a request for so much does not fit.
func (b *budget) reached(more amount) error {
	with, hint, option := b.spent.add(more), "raise budget.tokens in the workflow", ""
	if b.costs(with) {
		hint, option = "raise budget.cost_usd in the workflow", b.option
	}
	return &steps.Error{
		Kind: steps.KindBudget, Hint: hint, Option: option,
		Message: "the run's budget is used up: " + b.told(with) + ", and the next request does not fit",
		Err:     usedUp{b},
	}
}

// limitsCost reports whether this budget, or one around it, has a bound on the
// cost.
func (b *budget) limitsCost() bool {
	return b != nil && (b.costUSD > 0 || b.around.limitsCost())
}
