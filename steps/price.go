package steps

import (
	"context"
	"math"

	"github.com/a-seed-11b9befa/flow/providers"
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
	e := Estimate{Model: d.agent.Model.Info().Ref, InputTokens: req.EstimatedTokens(), OutputTokens: likelyOutput, LeastOutput: 1}
	if most := int64(req.Params.MaxOutputTokens); most > 0 {
		e.OutputTokens, e.LeastOutput = most, min(most/2, usefulOutput)
	}
	return e
}

// bound is what limits the length of an answer. The zero value is no limit.
type bound struct {
	reason   Reason
	budgetOf string
}

// reserve calls the hook before a request is made. If what is left of a budget, or of the
// step's own limits, does not pay for the longest possible answer, it limits the answer,
// and returns which limit that is. An answer that is cached costs nothing.
func (d *dialogue) reserve(ctx context.Context, req *providers.Request) (settle func([]Spent), by bound, err error) {
	grant := Grant{Settle: func([]Spent) {}}
	if providers.Cached(d.agent.Model, *req) {
		return grant.Settle, by, nil
	}
	e := d.estimate(*req)
	if d.agent.Hooks.Reserve != nil {
		if grant, err = d.agent.Hooks.Reserve(ctx, e); err != nil {
			return nil, by, err
		}
	}
	most, own := d.room(e)
	by.reason = own
	if grant.OutputTokens > 0 && (most == 0 || grant.OutputTokens < most) {
		most, by = grant.OutputTokens, bound{ReasonBudget, grant.BudgetOf}
	}
	if most == 0 || most >= e.OutputTokens {
		return grant.Settle, bound{}, nil
	}
	req.Params.MaxOutputTokens = int(max(most, leastOutput))
	return grant.Settle, by, nil
}

// room returns how long an answer the step's own limits pay for, and which limit that is; 0
// is no limit. The last turn at a limit has none.
func (d *dialogue) room(e Estimate) (most int64, bound Reason) {
	stop := d.agent.Stop
	if d.agent.Stop.limited(&d.c).then == wrapUp {
		return 0, ""
	}
	if stop.MaxTokens > 0 {
		most, bound = max(stop.MaxTokens-d.c.counted().Tokens-e.InputTokens, leastOutput), ReasonMaxTokens
	}
	if stop.MaxCostUSD <= 0 || d.agent.Hooks.Price == nil {
		return most, bound
	}
	const million = 1_000_000
	input, known := d.agent.Hooks.Price(e.Model, providers.Usage{InputTokens: e.InputTokens})
	price, _ := d.agent.Hooks.Price(e.Model, providers.Usage{InputTokens: e.InputTokens, OutputTokens: million})
	if price -= input; !known || price <= 0 {
		return most, bound
	}
	paid := int64(max(min((stop.MaxCostUSD-d.c.counted().CostUSD-input)/price*million, math.MaxInt32)+1e-6, leastOutput))
	if most == 0 || paid < most {
		return paid, ReasonMaxCost
	}
	return most, bound
}

// pay counts what an answer used, whole or broken off, and adds it to used. It returns the
// cost, or nil if the price is not known.
func (d *dialogue) pay(answer *providers.Message, used *[]Spent, whole bool) *float64 {
	if answer.Model == "" {
		answer.Model = d.agent.Model.Info().Ref
	}
	if !whole && answer.Usage == (providers.Usage{}) {
		return nil
	}
	if answer.Saved != nil {
		return new(float64) // nobody was asked
	}
	*used = append(*used, Spent{answer.Model, answer.Usage})
	if d.agent.Hooks.Price == nil {
		d.c.spend(answer.Model, answer.Usage, 0, true)
		return nil
	}
	usd, known := d.agent.Hooks.Price(answer.Model, answer.Usage)
	d.c.spend(answer.Model, answer.Usage, usd, known)
	if !known {
		return nil
	}
	return &usd
}

// save counts an answer from the cache, and returns what it would have cost, or nil if that
// is not known.
func (d *dialogue) save(answer providers.Message) *float64 {
	if answer.Saved == nil {
		return nil
	}
	d.c.Cached++
	if d.agent.Hooks.Price == nil {
		return nil
	}
	usd, known := d.agent.Hooks.Price(answer.Model, *answer.Saved)
	if !known {
		return nil
	}
	d.c.SavedUSD += usd
	return &usd
}
