package view

import (
	"fmt"
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

// Counts are the counts of a step, an element or a run. The zero value has none.
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

// CountsOf returns the counts of the result of a step or an element.
func CountsOf(s *runner.StepResult) Counts { return Counts(s.Numbers()) }

// plus returns the sum of both.
func (c Counts) plus(d Counts) Counts {
	return Counts{
		Turns: c.Turns + d.Turns, Calls: c.Calls + d.Calls, Denied: c.Denied + d.Denied, Truncated: c.Truncated + d.Truncated,
		Tokens: c.Tokens + d.Tokens, CostUSD: c.CostUSD + d.CostUSD, Unpriced: c.Unpriced || d.Unpriced,
		Cached: c.Cached + d.Cached, SavedUSD: c.SavedUSD + d.SavedUSD,
	}
}

// minus returns the difference of both.
func (c Counts) minus(d Counts) Counts {
	return Counts{
		Turns: c.Turns - d.Turns, Calls: c.Calls - d.Calls, Denied: c.Denied - d.Denied, Truncated: c.Truncated - d.Truncated,
		Tokens: c.Tokens - d.Tokens, CostUSD: c.CostUSD - d.CostUSD, Unpriced: c.Unpriced,
		Cached: c.Cached - d.Cached, SavedUSD: c.SavedUSD - d.SavedUSD,
	}
}

// add counts an event: a turn, an answer that broke off, or a call.
func (c *Counts) add(e steps.Event) {
	if e.Usage != nil {
		c.Tokens += e.Usage.Total()
		c.Unpriced = c.Unpriced || e.Cost == nil
	}
	if e.Cost != nil {
		c.CostUSD += *e.Cost
	}
	switch e.Type {
	case steps.TurnFinished:
		c.Turns++
		if e.Cached {
			c.Cached++
		}
		if e.Saved != nil {
			c.SavedUSD += *e.Saved
		}
	case steps.CallFinished:
		c.Calls++
		if e.Status == tools.Denied {
			c.Denied++
		}
		if e.Truncated {
			c.Truncated++
		}
	}
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
		parts[len(parts)-1] += " (" + Dollars(c.SavedUSD) + " saved)"
	}
	add(int64(c.Calls), "call")
	if c.Denied > 0 {
		parts = append(parts, quantity.Thousands(c.Denied)+" denied")
	}
	add(c.Tokens, "token")
	if c.CostUSD > 0 && !c.Unpriced { // that a cost is unknown is said once, of the whole run
		parts = append(parts, Dollars(c.CostUSD))
	}
	return strings.Join(parts, ", ")
}

// Dollars returns a known cost as [runner.Cost] does.
func Dollars(usd float64) string {
	return runner.Cost{USD: usd, Known: true}.String()
}

// Took returns a duration for a person.
func Took(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%.0fs", d.Seconds())
	}
	d = d.Round(time.Second)
	if d < time.Hour {
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}
