package steps

import (
	"slices"

	"github.com/a-seed-11b9befa/flow/providers"
)

// A conversation is all that an agent has come to: what was said and what was
// counted. It is a value, and can be stored; to go on with one that was is not there
// yet.
type conversation struct {
	Messages []providers.Message

	Turns     int // of the model, the wrap-up not counted
	Usage     providers.Usage
	CostUSD   float64
	Unpriced  []string // models whose price is not known, each once
	Cached    int      // answers that were kept from before
	SavedUSD  float64  // what they would have cost
	Calls     []Called // those let through, in order
	Denied    []Denial
	Paths     []string // of the files that have results whole, in the order of the results; "" where there is none
	Truncated int      // outputs that were cut
	Lost      int      // of those, what is kept nowhere

	Streak   streak
	CutTurns int  // running turns of which nothing but cut calls came
	Repairs  int  // results that misfitted
	Fixes    int  // results that a check refused
	Force    bool // the next answer has to call the tool that takes the result

	Broken string // the text of an answer that broke off
}

// lastText is the last thing that the model said in words, also where it was
// not let finish.
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

// spend counts what one request has used. A price that is not known makes the
// whole cost unknown.
func (c *conversation) spend(model string, u providers.Usage, usd float64, known bool) {
	c.Usage = c.Usage.Add(u)
	c.CostUSD += usd
	if !known && !slices.Contains(c.Unpriced, model) {
		c.Unpriced = append(c.Unpriced, model)
	}
}
