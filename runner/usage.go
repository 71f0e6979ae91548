package runner

import (
	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner/history"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

// A usage adds up what records of a journal say that units have used.
type usage struct {
	from *journal.Reader
	said int64 // the offset of the answer that was added last, whose calls the records behind it answer
}

// at returns what was used, by the record at an offset. A result has the usage of all attempts.
func (c *usage) at(offset int64) (used steps.Used, err error) {
	r, err := c.from.At(offset)
	if err != nil {
		return used, err
	}
	switch r.Kind {
	case journal.Said:
		c.said = offset
		return usedBySaid(c.from, r)
	case journal.Answer:
		return c.answered(r)
	}
	var result StepResult
	err = c.from.Decode(r, &result)
	return result.Used, err
}

// usedBySaid returns what an answer used, also one that broke off.
func usedBySaid(from *journal.Reader, r journal.Record) (used steps.Used, err error) {
	var said steps.Answer
	if err := from.Decode(r, &said); err != nil {
		return used, err
	}
	used.Usage, used.Unpriced = &providers.Usage{}, r.Unpriced
	for _, s := range said.Used {
		*used.Usage = used.Usage.Add(s.Usage)
	}
	if len(r.Unpriced) == 0 {
		used.CostUSD = &r.Spent.CostUSD
	}
	if said.Error == nil && !said.Cut {
		used.Turns = 1
	}
	if said.Saved != nil {
		used.Cached = 1
	}
	return used, nil
}

// answered returns what to count for a call that has ended.
func (c *usage) answered(r journal.Record) (used steps.Used, err error) {
	var answer steps.CallEnded
	if err := c.from.Decode(r, &answer); err != nil {
		return used, err
	}
	used.ToolCalls = 1
	if answer.Truncated {
		used.Truncated = 1
	}
	if answer.Lost {
		used.Lost = 1
	}
	if answer.Status == tools.Denied {
		denied, err := DeniedCall(c.from, c.said, &answer)
		if err != nil {
			return used, err
		}
		used.Denied = []steps.Denial{denied}
	}
	return used, nil
}

// count sets what the steps that have not ended have used with all of their elements. For those
// that have ended the results have it.
func (c *usage) count(r *Result, top *history.Unit) error {
	for u := range top.All(false) {
		step := r.Steps.of(u.Unit.Path())
		if step == nil || step.Status != "" {
			continue
		}
		for _, offset := range u.Used() {
			used, err := c.at(offset)
			if err != nil {
				return err
			}
			step.Used.Add(used)
		}
	}
	return nil
}

// DeniedCall returns the denial of a call. The model's answer that makes the call is at the
// offset said of the journal.
func DeniedCall(from *journal.Reader, said int64, answer *steps.CallEnded) (d steps.Denial, err error) {
	r, err := from.At(said)
	if err != nil {
		return d, err
	}
	var s steps.Answer
	if err := from.Decode(r, &s); err != nil {
		return d, err
	}
	d = steps.Denial{Tool: "?", Rule: answer.Rule}
	if calls := s.Message.Calls(); answer.Place >= 0 && answer.Place < len(calls) {
		d.Tool, d.Input = calls[answer.Place].Name, calls[answer.Place].Arguments
	}
	return d, nil
}
