package steps

import (
	"slices"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/tools"
)

// conversation is the state of an agent: the messages, and what was counted.
type conversation struct {
	Messages []providers.Message

	Used
	Inside tools.Amount // by calls
	Calls  []Called     // without refused ones, in order
	Paths  []string     // for each result, the file with the whole of it, or ""

	Streak   streak
	CutTurns int    // how many turns in a row had only calls that were cut off
	Idle     int    // how many turns in a row did nothing, see idle
	Repairs  int    // how many results were not valid
	Fixes    int    // how many results a check refused
	Force    bool   // the next answer has to be the result
	Done     Reason // why the step is done, once it is but for its result

	Broken string // the text of an answer that broke off

	Before counted // what limits no longer count: the step ended after that, and continues
}

// counted is what limits count.
type counted struct {
	Turns, Calls int
	tools.Amount
}

// counted returns what limits count.
func (c *conversation) counted() counted {
	now, b := c.counts(), c.Before
	return counted{now.Turns - b.Turns, now.Calls - b.Calls, now.Minus(b.Amount)}
}

func (c *conversation) counts() counted {
	return counted{c.Turns, len(c.Calls), c.Amount().Plus(c.Inside)}
}

// countAnew lets all limits count from here.
func (c *conversation) countAnew() {
	c.Before = c.counts()
	c.Streak, c.CutTurns = streak{}, 0
}

// lastText returns the last text of the model, even from an answer that broke off.
func (c *conversation) lastText() string {
	if c.Broken != "" {
		return c.Broken
	}
	for _, m := range slices.Backward(c.Messages) {
		if m.Role != providers.RoleAssistant {
			continue
		}
		if text := m.Text(); text != "" {
			return text
		}
	}
	return ""
}
