package suite

import (
	"fmt"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools"
)

// A call is one call of a tool, as it ended.
type call struct {
	step, unit, tool, status, rule, why string
	arguments                           any
}

// String is the call in one line.
func (c call) String() string {
	return fmt.Sprintf("step %q called %s %s", c.unit, c.tool, long(c.arguments))
}

// fits reports whether a call matches an expectation.
func (c call) fits(want *expectedCalls) bool {
	if want.Step != "" && want.Step != c.step || want.Tool != "" && want.Tool != c.tool || want.Status != "" && want.Status != c.status {
		return false
	}
	arguments, _ := c.arguments.(map[string]any)
	for name, value := range want.Arguments {
		if !same(value, arguments[name]) {
			return false
		}
	}
	return true
}

// calls compares the calls of tools, and the number of denials.
func (c *comparison) calls(e *expectations) {
	for _, want := range e.Calls {
		count := 0
		for _, call := range c.seen.calls {
			if call.fits(want) {
				count++
			}
		}
		if want.Count != nil {
			c.equal("the number of calls"+kindOf(want), want.Count, count, c.made())
		} else if count == 0 {
			c.fail(want.Pos, c.made(), "no call%s was made", kindOf(want))
		}
	}
	if e.Denied == nil {
		return
	}
	var denied []string
	for _, call := range c.seen.calls {
		if call.status != string(tools.Denied) {
			continue
		}
		reason := strings.TrimPrefix(call.why, "Denied: ")
		if call.rule != "" {
			reason = fmt.Sprintf("the rule %q denies it", call.rule)
		}
		denied = append(denied, fmt.Sprintf("denied: %s: %s", call, reason))
	}
	notes := denied
	if len(denied) == 0 {
		notes = c.made()
	}
	c.equal("the number of denied calls", e.Denied, len(denied), notes)
}

// kindOf describes the expected calls.
func kindOf(want *expectedCalls) string {
	words := []string{""}
	if want.Tool != "" {
		words = append(words, fmt.Sprintf("of tool %q", want.Tool))
	}
	if want.Step != "" {
		words = append(words, fmt.Sprintf("in step %q", want.Step))
	}
	if want.Arguments != nil {
		words = append(words, "with "+short(want.Arguments))
	}
	if want.Status != "" {
		words = append(words, fmt.Sprintf("with the status %q", want.Status))
	}
	return strings.Join(words, " ")
}

// made lists the calls of the run.
func (c *comparison) made() []string {
	if len(c.seen.calls) == 0 {
		return []string{"no call was made"}
	}
	var lines []string
	for _, call := range c.seen.calls {
		lines = append(lines, fmt.Sprintf("%s, %s", call, call.status))
	}
	return first(20, lines)
}
