package steps

import (
	"cmp"
	"slices"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/tools"
)

// Used is what work has used, and how often things happened in it, whether it succeeded or not.
// The zero value is nothing.
type Used struct {
	Turns     int              `json:"turns,omitempty"`
	ToolCalls int              `json:"tool_calls,omitempty"`
	Denied    []Denial         `json:"denied_calls,omitempty"`
	Truncated int              `json:"truncated_outputs,omitempty"` // how many outputs were not shown whole
	Lost      int              `json:"lost_outputs,omitempty"`      // how many of these are not kept anywhere: no file, or a full disk
	Usage     *providers.Usage `json:"usage,omitempty"`             // nil if no model was asked
	CostUSD   *float64         `json:"cost_usd,omitempty"`          // of the models whose price is known; nil if there is none
	Unpriced  []string         `json:"unpriced_models,omitempty"`   // models whose price is not known
	Cached    int              `json:"cached_turns,omitempty"`      // how many turns had an answer from the cache
	SavedUSD  float64          `json:"saved_usd,omitempty"`         // what these would have cost, as far as prices are known
}

// Used returns what a fact adds to what the conversation has used. price returns what the use of a
// model costs, if that is known.
func (f *Fact) Used(price func(model string, u providers.Usage) (usd float64, known bool)) (used Used) {
	switch {
	case f.Answer != nil:
		used = f.Answer.used(price)
	case f.CallEnded != nil:
		used.ToolCalls = 1
		used.count(f.CallEnded.Truncated, f.CallEnded.Lost)
		if f.CallEnded.Status == tools.Denied {
			used.Denied = []Denial{f.CallEnded.Denial()}
		}
	}
	return used
}

func (a *Answer) used(price func(model string, u providers.Usage) (usd float64, known bool)) (used Used) {
	if a.Error == nil && !a.Cut && !a.Last {
		used.Turns = 1
	}
	if a.Saved != nil {
		used.Cached = 1
		used.SavedUSD, _ = price(a.Message.Model, *a.Saved)
	}
	used.Usage, used.CostUSD = &providers.Usage{}, new(float64)
	for _, by := range a.Used {
		usd, known := price(by.Model, by.Usage)
		if *used.Usage = used.Usage.Add(by.Usage); known {
			*used.CostUSD += usd
		} else {
			used.Add(Used{Unpriced: []string{by.Model}})
		}
	}
	if len(used.Unpriced) > 0 && *used.CostUSD == 0 {
		used.CostUSD = nil
	}
	return used
}

// Denial returns the denial of a call that was denied.
func (c *CallEnded) Denial() Denial {
	return Denial{Tool: c.Tool, Input: c.Arguments, Rule: cmp.Or(c.Rule, c.Reason)}
}

// Amount returns what was used of models.
func (u *Used) Amount() (a tools.Amount) {
	if u.Usage != nil {
		a.Tokens = u.Usage.Total()
	}
	if u.CostUSD != nil {
		a.CostUSD = *u.CostUSD
	}
	return a
}

// Plus returns the sum of both, with sorted names of models.
func (u Used) Plus(by Used) (sum Used) {
	sum.Add(u)
	sum.Add(by)
	return sum
}

// Add adds to u, whose list of denials, usage and cost nobody else has: so a sum of many does not
// copy them each time, as Plus does. by may be anyone's.
func (u *Used) Add(by Used) {
	u.Turns += by.Turns
	u.ToolCalls += by.ToolCalls
	u.Denied = append(u.Denied, by.Denied...)
	u.Truncated += by.Truncated
	u.Lost += by.Lost
	u.Cached += by.Cached
	u.SavedUSD += by.SavedUSD
	if len(by.Unpriced) > 0 {
		u.Unpriced = slices.Compact(slices.Sorted(slices.Values(slices.Concat(u.Unpriced, by.Unpriced))))
	}
	if by.Usage != nil {
		if u.Usage == nil {
			u.Usage = &providers.Usage{}
		}
		*u.Usage = u.Usage.Add(*by.Usage)
	}
	if by.CostUSD != nil {
		if u.CostUSD == nil {
			u.CostUSD = new(float64)
		}
		*u.CostUSD += *by.CostUSD
	}
}
