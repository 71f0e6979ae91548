package view

import (
	"fmt"
	"time"

	"github.com/a-seed-11b9befa/flow/runner/history"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

// Counts are the counts of a step, an element or a run.
type Counts = history.Counts

// count adds an event: a turn, an answer that broke off, or a call.
func count(c *Counts, e steps.Event) {
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
