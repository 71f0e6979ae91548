package runner

import (
	"context"
	"fmt"
	"sync"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/steps"
)

// A budget bounds what a run, and what a workflow that it uses, may spend. What
// a request may cost is reserved before it is made, so that requests that run
// side by side can't overshoot together: one that does not fit beside the
// others waits until they are settled. Alone, one is let through as long as
// its input fits, since the length of an answer is only an estimate.
type budget struct {
	tokens  int64   // 0: no bound
	costUSD float64 // 0: no bound
	price   func(model string, u providers.Usage) (float64, bool)
	around  *budget // of the workflow that uses this one; nil at the top
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
func (b *budget) reserve(ctx context.Context, e steps.Estimate) (settle func(model string, u providers.Usage), err error) {
	var release func(string, providers.Usage)
	if b.around != nil {
		if release, err = b.around.reserve(ctx, e); err != nil {
			return nil, err
		}
	}
	want := b.worth(e.Model, providers.Usage{InputTokens: e.InputTokens, OutputTokens: e.OutputTokens})
	least := b.worth(e.Model, providers.Usage{InputTokens: e.InputTokens})
	if err := b.wait(ctx, want, least); err != nil {
		if release != nil {
			release(e.Model, providers.Usage{})
		}
		return nil, err
	}
	return func(model string, u providers.Usage) {
		b.settle(want, b.worth(model, u))
		if release != nil {
			release(model, u)
		}
	}, nil
}

func (b *budget) worth(model string, u providers.Usage) amount {
	cost, _ := b.price(model, u)
	return amount{u.Total(), cost}
}

func (b *budget) wait(ctx context.Context, want, least amount) error {
	for {
		settled, err := b.take(want, least)
		if settled == nil {
			return err
		}
		select {
		case <-settled:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// take takes the reservation, or refuses it, or returns what to wait for.
func (b *budget) take(want, least amount) (settled <-chan struct{}, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.over(b.spent.add(least)):
		return nil, b.reached()
	case b.holders > 0 && b.over(b.spent.add(b.reserved).add(want)):
		return b.settled, nil
	}
	b.reserved = b.reserved.add(want)
	b.holders++
	return nil, nil
}

func (b *budget) settle(want, used amount) {
	b.mu.Lock()
	before := b.over(b.spent)
	b.reserved = b.reserved.subtract(want)
	b.holders--
	b.spent = b.spent.add(used)
	close(b.settled)
	b.settled = make(chan struct{})
	overshot := !before && b.exceeded()
	b.mu.Unlock()
	if overshot && b.warn != nil {
		b.warn("the last answer was longer than the rest of the budget: " + b.told() + " are used")
	}
}

// exceeded reports whether more was spent than the budget is. One answer can do
// that: how long it gets is known when it is there.
func (b *budget) exceeded() bool {
	return b.tokens > 0 && b.spent.tokens > b.tokens || b.costUSD > 0 && b.spent.costUSD > b.costUSD
}

func (b *budget) over(a amount) bool {
	return b.tokens > 0 && a.tokens >= b.tokens || b.costUSD > 0 && a.costUSD >= b.costUSD
}

// told is how much of the budget is used.
func (b *budget) told() string {
	if b.costUSD > 0 && (b.tokens == 0 || b.spent.tokens < b.tokens) {
		return fmt.Sprintf("%.4f of %.4f USD", b.spent.costUSD, b.costUSD)
	}
	return fmt.Sprintf("%d of %d tokens", b.spent.tokens, b.tokens)
}

func (b *budget) reached() error {
	return &steps.Error{
		Kind:    steps.KindBudget,
		Message: "the run's budget is used up: " + b.told() + ", and the next request does not fit",
		Hint:    "raise budget in the workflow, or --budget-usd",
	}
}

// limitsCost reports whether this budget, or one around it, has a bound on the
// cost.
func (b *budget) limitsCost() bool {
	return b != nil && (b.costUSD > 0 || b.around.limitsCost())
}
