package history

import (
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/steps"
)

// Counts are numbers of things that a step, an element or a run did, and what it used. The zero value has
// none.
type Counts struct {
	Turns     int     `json:"turns"`
	Calls     int     `json:"tool_calls"`
	Denied    int     `json:"denied_calls"`      // of the calls
	Truncated int     `json:"truncated_outputs"` // of calls
	Tokens    int64   `json:"tokens"`
	CostUSD   float64 `json:"cost_usd"`
	Unpriced  bool    `json:"unpriced"`     // the cost of an answer is not known, and so the whole cost is not
	Cached    int     `json:"cached_turns"` // turns with kept answers
	SavedUSD  float64 `json:"saved_usd"`    // what these would have cost, as far as that is known
}

// CountsOf returns the counts in what was used.
func CountsOf(u steps.Used) Counts {
	spent := u.Amount()
	return Counts{
		Tokens: spent.Tokens, CostUSD: spent.CostUSD,
		Turns: u.Turns, Calls: u.ToolCalls, Denied: len(u.Denied), Truncated: u.Truncated, Cached: u.Cached, SavedUSD: u.SavedUSD,
		Unpriced: len(u.Unpriced) > 0 || u.Usage != nil && u.CostUSD == nil,
	}
}

// Plus returns the sum of both.
func (c Counts) Plus(d Counts) Counts { return c.with(d, 1) }

// Minus returns the difference of both; what is unpriced in c is so in it.
func (c Counts) Minus(d Counts) Counts {
	d.Unpriced = false
	return c.with(d, -1)
}

// with returns c with d added so often.
func (c Counts) with(d Counts, times int) Counts {
	c.Turns += times * d.Turns
	c.Calls += times * d.Calls
	c.Denied += times * d.Denied
	c.Truncated += times * d.Truncated
	c.Tokens += int64(times) * d.Tokens
	c.CostUSD += float64(times) * d.CostUSD
	c.Unpriced = c.Unpriced || d.Unpriced
	c.Cached += times * d.Cached
	c.SavedUSD += float64(times) * d.SavedUSD
	return c
}

// String lists the counts for a person: "2 turns, 1 call, $0.01"; "" if there are none.
func (c Counts) String() string {
	var parts []string
	add := func(n int64, noun string) {
		if n > 0 {
			parts = append(parts, quantity.Count(n, noun))
		}
	}
	add(int64(c.Turns), "turn")
	if c.Cached > 0 {
		parts = append(parts, quantity.Thousands(c.Cached)+" cached")
	}
	if c.SavedUSD > 0 {
		parts[len(parts)-1] += " (" + quantity.Dollars(c.SavedUSD) + " saved)"
	}
	add(int64(c.Calls), "call")
	if c.Denied > 0 {
		parts = append(parts, quantity.Thousands(c.Denied)+" denied")
	}
	add(c.Tokens, "token")
	if c.CostUSD > 0 && !c.Unpriced { // that a cost is unknown is said once, of the whole run
		parts = append(parts, quantity.Dollars(c.CostUSD))
	}
	return strings.Join(parts, ", ")
}
