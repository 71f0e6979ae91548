package steps

import (
	"context"
	"math"
	"time"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/tools"
)

const (
	// likelyOutput is the expected maximum length of an answer without a limit, in tokens.
	// Every model can give one of that length.
	likelyOutput = 4096

	// leastOutput is the smallest limit of an answer that services accept.
	leastOutput = 16

	// usefulOutput is a length with which every answer is useful.
	usefulOutput = 1024
)

// estimate returns what a request may cost.
func (d *dialogue) estimate(req providers.Request) Estimate {
	e := Estimate{Last: d.last, Model: d.agent.Model.Info().Ref, InputTokens: req.EstimatedTokens(), OutputTokens: likelyOutput, LeastOutput: 1}
	if most := int64(req.Params.MaxOutputTokens); most > 0 {
		e.OutputTokens, e.LeastOutput = most, min(most/2, usefulOutput)
	}
	return e
}

// reserve calls the hook before a request is made. If what is left of a budget does not pay for the
// longest possible answer, it limits the answer, and returns the grant that does. An answer that is
// cached costs nothing.
func (d *dialogue) reserve(ctx context.Context, req *providers.Request) (settle func([]Spent), bound *Grant, err error) {
	if d.agent.Hooks.Reserve == nil || providers.Cached(d.agent.Model, *req) {
		return func([]Spent) {}, nil, nil
	}
	e := d.estimate(*req)
	goesOn := d.tellHeld(HeldByBudget)
	grant, err := d.agent.Hooks.Reserve(ctx, e)
	goesOn()
	if err != nil {
		return nil, nil, err
	}
	if most := grant.OutputTokens; most > 0 && most < e.OutputTokens {
		req.Params.MaxOutputTokens = int(max(most, leastOutput))
		bound = &grant
	}
	return grant.Settle, bound, nil
}

// tellHeld tells of a wait that lasts. Who waited calls what it returns.
func (d *dialogue) tellHeld(by Hold) (goesOn func()) {
	told := make(chan struct{})
	lasts := time.AfterFunc(providers.HeldAfter, func() {
		defer close(told)
		d.observe(Event{Type: Held, Turn: d.c.Turns + 1, HeldBy: by})
	})
	return func() {
		if !lasts.Stop() {
			<-told
			d.observe(Event{Type: Released, Turn: d.c.Turns + 1})
		}
	}
}

type restKey struct{}

// RestOf returns what the limits of an agent leave for the calls of a turn, which is the same for all of
// them; a zero field is no limit. ctx is the one of a call. Nil: there is no limit.
func RestOf(ctx context.Context) *tools.Amount {
	rest, _ := ctx.Value(restKey{}).(*tools.Amount)
	return rest
}

func withRest(ctx context.Context, rest *tools.Amount) context.Context {
	return context.WithValue(ctx, restKey{}, rest)
}

// rest returns what the step's own limits leave.
func (d *dialogue) rest() *tools.Amount {
	stop, now := d.agent.Stop, d.c.counted()
	if stop.MaxTokens <= 0 && stop.MaxCostUSD <= 0 {
		return nil
	}
	rest := &tools.Amount{}
	if stop.MaxTokens > 0 {
		rest.Tokens = max(stop.MaxTokens-now.Tokens, 1)
	}
	if stop.MaxCostUSD > 0 {
		rest.CostUSD = max(stop.MaxCostUSD-now.CostUSD, math.SmallestNonzeroFloat64)
	}
	return rest
}

// pay adds to the news what an answer used, whole or broken off. It returns the cost, or nil if that
// is not known.
func (d *dialogue) pay(answer providers.Message, news *Answer, whole bool) *float64 {
	switch {
	case !whole && answer.Usage == (providers.Usage{}):
		return nil
	case answer.Saved != nil: // nobody was asked
		return new(float64)
	}
	cost := d.price(answer.Model, answer.Usage)
	news.Used = append(news.Used, Spent{Model: answer.Model, Usage: answer.Usage, CostUSD: cost})
	return cost
}

// price returns what a model's usage costs, or nil if that is not known.
func (d *dialogue) price(model string, u providers.Usage) *float64 {
	if d.agent.Hooks.Price == nil {
		return nil
	}
	if usd, known := d.agent.Hooks.Price(model, u); known {
		return &usd
	}
	return nil
}

// countAnswer counts what a request has used.
func (d *dialogue) countAnswer(a *Answer) {
	price := d.agent.Hooks.Price
	if price == nil { // nobody wants to know it
		price = func(string, providers.Usage) (float64, bool) { return 0, true }
	}
	d.c.Add(a.used(price))
}
