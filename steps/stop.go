package steps

import (
	"errors"
	"fmt"
	"slices"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/tools"
)

// turn is one answer of the model, and how its calls were answered.
type turn struct {
	answer    providers.Message
	calls     []Called  // without refused ones
	denied    *call     // the first one, or nil
	pending   []Pending // calls about which a person has to be asked
	waits     bool      // for a person, and no call is counted yet
	refused   bool      // there were calls beyond MaxToolCalls
	submitted bool      // the result was submitted by a call, and taken
	bound     *Grant    // limited the length of the answer; nil: none did
}

// finished reports whether the model says that it is done.
func (t turn) finished() bool {
	return t.submitted || len(t.answer.Calls()) == 0 && t.answer.Finish != providers.FinishLength
}

// shortened reports whether the answer was cut off by a budget, and not by the model.
func (t turn) shortened() bool {
	return t.bound != nil && t.answer.Finish == providers.FinishLength
}

// then is what comes after a turn.
type then int

const (
	goOn   then = iota // the model is asked again
	judge              // the step is done if the result is good
	wrapUp             // a limit: the model gets a last turn
	end                // the step ends at once
)

// decision is what comes after a turn, and why.
type decision struct {
	then   then
	reason Reason
}

// next decides what comes after a turn whose calls were answered. It is a pure function. holds
// says whether the step's own condition does.
func (s Stop) next(c *conversation, t turn, holds bool) decision {
	switch {
	case t.answer.Finish == providers.FinishContentFilter:
		return decision{end, ReasonContentFilter}
	case t.answer.Finish == providers.FinishError:
		return decision{end, ReasonError}
	case s.endedByTool(t):
		return decision{judge, ReasonTool}
	case holds:
		return decision{judge, ReasonCondition}
	case t.finished():
		return decision{judge, ReasonCompleted}
	case t.shortened():
		return decision{end, ReasonBudget}
	case len(t.answer.Calls()) == 0, c.CutTurns > 1: // the next answer would be cut off, too
		return decision{end, ReasonOutputLimit}
	case t.refused:
		return decision{wrapUp, ReasonMaxToolCalls}
	}
	return s.limited(c)
}

// limited decides whether the model may be asked once more. It only matters if the turn did
// not end the step: a model that has its result at a limit is not stopped by it.
func (s Stop) limited(c *conversation) decision {
	now := c.counted()
	switch {
	case s.RepeatedCalls > 0 && c.Streak.Count >= s.RepeatedCalls:
		return decision{wrapUp, ReasonRepeatedCalls}
	case s.MaxTokens > 0 && now.Tokens >= s.MaxTokens:
		return decision{wrapUp, ReasonMaxTokens}
	case s.MaxCostUSD > 0 && now.CostUSD >= s.MaxCostUSD:
		return decision{wrapUp, ReasonMaxCost}
	case s.MaxTurns > 0 && now.Turns >= s.MaxTurns:
		return decision{wrapUp, ReasonMaxTurns}
	}
	return decision{goOn, ""}
}

// errStopTimeout is in the cause of a context that is done because of [Stop.Timeout].
var errStopTimeout = errors.New("stop.timeout")

func (s Stop) timeIsUp() *Error {
	return &Error{Kind: KindTimeout, Message: s.message(ReasonTimeout, nil), Err: errStopTimeout}
}

// endedByTool reports whether a call has succeeded that ends the step.
func (s Stop) endedByTool(t turn) bool {
	return slices.ContainsFunc(t.calls, func(c Called) bool {
		return c.Status == tools.Succeeded && slices.Contains(s.OnTool, c.Tool)
	})
}

// whenHolds reports whether the step's own stop condition holds after a turn.
func (d *dialogue) whenHolds(t turn) (bool, error) {
	when := d.agent.Stop.When
	if when == nil {
		return false, nil
	}
	return once(d, func(f *Fact) **bool { return &f.When }, func() (bool, error) {
		holds, err := when(State{
			Turn: d.c.Turns, Text: t.answer.Text(), Finished: t.finished(),
			Usage: *d.c.Usage, CostUSD: *d.c.CostUSD + d.c.Inside.CostUSD, Calls: slices.Clip(d.c.Calls),
		})
		if err != nil {
			return false, fmt.Errorf("stop.when: %w", err)
		}
		return holds, nil
	})
}

// message returns, for the model and the user, which limit was reached.
func (s Stop) message(reason Reason, c *conversation) string {
	switch reason {
	case ReasonTimeout:
		return fmt.Sprintf("stop.timeout: timed out after %v", s.Timeout)
	case ReasonMaxTurns:
		return fmt.Sprintf("max_turns: the limit of %s is reached", quantity.Count(s.MaxTurns, "turn"))
	case ReasonMaxToolCalls:
		return fmt.Sprintf("max_tool_calls: the limit of %s is reached", quantity.Count(s.MaxToolCalls, "call"))
	case ReasonMaxTokens:
		return fmt.Sprintf("max_tokens: %d tokens used of %d", c.counted().Tokens, s.MaxTokens)
	case ReasonMaxCost:
		return fmt.Sprintf("max_cost_usd: %s USD used of %s", quantity.USD(c.counted().CostUSD), quantity.USD(s.MaxCostUSD))
	case ReasonRepeatedCalls:
		return fmt.Sprintf("repeated_calls: %q was called %d times in a row with the same arguments and the same result", c.Streak.Tool, c.Streak.Count)
	}
	return string(reason)
}
