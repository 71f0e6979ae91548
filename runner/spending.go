package runner

import (
	"slices"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/steps"
)

// Spending is what work has used, and how often things happened in it, whether it succeeded
// or not. That of a step is the sum over its attempts, rounds and elements, and over the steps
// inside it.
type spending struct {
	usage     *providers.Usage // nil if no model was asked
	costUSD   *float64         // of the models whose price is known
	unpriced  []string         // sorted
	denied    []steps.Denial
	turns     int
	calls     int
	truncated int
	lost      int
	cached    int
	savedUSD  float64
}

// and returns the sum of both.
func (s spending) and(r *steps.Result) spending {
	s.denied = append(slices.Clip(s.denied), r.Denied...)
	s.turns += r.Turns
	s.calls += r.ToolCalls
	s.truncated += r.Truncated
	s.lost += r.Lost
	s.cached += r.Cached
	s.savedUSD += r.SavedUSD
	s.unpriced = union(s.unpriced, r.Unpriced)
	if r.Usage != nil {
		total := *r.Usage
		if s.usage != nil {
			total = s.usage.Add(total)
		}
		s.usage = &total
	}
	if r.CostUSD != nil {
		cost := *r.CostUSD
		if s.costUSD != nil {
			cost += *s.costUSD
		}
		s.costUSD = &cost
	}
	return s
}

// spent sets what all of the step's work has used.
func (r *StepResult) spent(s spending) {
	r.Usage, r.CostUSD, r.Unpriced = s.usage, s.costUSD, s.unpriced
	r.Denied, r.Turns, r.ToolCalls = s.denied, s.turns, s.calls
	r.Truncated, r.Lost = s.truncated, s.lost
	r.Cached, r.SavedUSD = s.cached, s.savedUSD
}

// numbers returns the result with its numbers only.
func (r *StepResult) numbers() *StepResult {
	n := &StepResult{Kind: r.Kind, Counts: r.Counts}
	n.spent(spending{}.and(&r.Result))
	clear(n.Denied)
	return n
}

func costOf(usd *float64, unpriced []string) *Cost {
	cost := &Cost{Known: len(unpriced) == 0}
	if usd != nil {
		cost.USD = *usd
	}
	return cost
}

// union merges sorted lists of names.
func union(a, b []string) []string {
	if len(b) == 0 {
		return a
	}
	all := append(slices.Clone(a), b...)
	slices.Sort(all)
	return slices.Compact(all)
}
