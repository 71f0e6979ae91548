package providers

import "strings"

// A Price is what a model costs, in USD per million tokens. Reasoning is output.
type Price struct {
	Input       float64  `json:"input"`
	Output      float64  `json:"output"`
	CachedInput *float64 `json:"cached_input"` // of tokens that the service had cached; nil: as Input
	CacheWrite  *float64 `json:"cache_write"`  // of tokens that the service is to cache; nil: as Input
	Above       []Tier   `json:"above"`        // for long prompts, the shortest first

	CacheWrite1h *float64 `json:"cache_write_1h"` // of tokens that it is to cache for an hour; nil: 1.6 times CacheWrite
}

// A Tier is the price of a whole request whose input is longer than Tokens.
type Tier struct {
	Tokens int64 `json:"tokens"`
	Price
}

// Prices are prices by a model's reference (provider/model). They override flow's own
// table, which the nil map consists of.
type Prices map[string]Price

// Cost returns what one answer of a model costs: what the service reports to have charged,
// or else by its price. It returns false for a model whose price is unknown, which is
// never guessed, and never 0. A script costs nothing.
func (p Prices) Cost(ref string, u Usage) (usd float64, known bool) {
	if u.Cost != nil {
		return *u.Cost, true
	}
	if price, own := p[ref]; own {
		return price.Cost(u), true
	}
	if strings.HasPrefix(ref, "script/") {
		return 0, true
	}
	model, _ := Lookup(ref)
	if model.Price == nil {
		return 0, false
	}
	return model.Price.Cost(u), true
}

// Cost returns what one answer costs, in USD: what the service reports to have charged, or
// else the price of its tokens.
func (p Price) Cost(u Usage) float64 {
	if u.Cost != nil {
		return *u.Cost
	}
	for _, tier := range p.Above {
		if u.InputTokens > tier.Tokens {
			p = tier.Price
		}
	}
	cached := min(u.CachedInputTokens, u.InputTokens)
	written := min(u.CacheWriteTokens, u.InputTokens-cached)
	hour := min(u.CacheWrite1h, written)
	million := p.Input*float64(u.InputTokens-cached-written) +
		p.orInput(p.CachedInput)*float64(cached) +
		p.orInput(p.CacheWrite)*float64(written-hour) +
		p.hour()*float64(hour) +
		p.Output*float64(u.OutputTokens)
	return million / 1e6
}

// hour returns the price of tokens that are cached for an hour. Without one it is what Anthropic,
// whose idea this is, takes: twice the input, where the usual cache takes 1.25 times the input.
func (p Price) hour() float64 {
	if p.CacheWrite1h != nil {
		return *p.CacheWrite1h
	}
	return 1.6 * p.orInput(p.CacheWrite)
}

func (p Price) orInput(price *float64) float64 {
	if price == nil {
		return p.Input
	}
	return *price
}
