package steps

import (
	"slices"

	"github.com/a-seed-11b9befa/flow/providers"
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

// Plus returns the sum of both, with sorted names of models.
func (u Used) Plus(by Used) Used {
	u.Denied = slices.Clip(u.Denied)
	u.Add(by)
	return u
}

// Add adds to u, whose list of denials nobody else has: so a sum of many does not copy the
// list each time, as Plus does.
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
		total := *by.Usage
		if u.Usage != nil {
			total = u.Usage.Add(total)
		}
		u.Usage = &total
	}
	if by.CostUSD != nil {
		cost := *by.CostUSD
		if u.CostUSD != nil {
			cost += *u.CostUSD
		}
		u.CostUSD = &cost
	}
}
