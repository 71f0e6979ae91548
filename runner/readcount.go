package runner

import (
	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner/history"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

// A pastCount adds up what a run that has not ended has used, and what each of its steps has
// used with all of its elements. For steps that have ended the results have it.
type pastCount struct {
	from *journal.Reader
	by   map[*history.Unit]*steps.Used
}

// take applies a record, after u has.
func (c *pastCount) take(r journal.Record, u *history.Unit) error {
	kept := r.About == journal.Keep // the run has counted it when the work was done
	if r.Kind != journal.Said && r.Kind != journal.Answer && !kept {
		return nil
	}
	used, err := c.used(r, u.Said)
	for ; u != nil; u = u.Around {
		if !u.Part && (u.Around != nil || !kept) {
			if c.by[u] == nil {
				c.by[u] = &steps.Used{}
			}
			c.by[u].Add(used)
		}
	}
	return err
}

// usedAt returns what was used, by the record at an offset; said is the offset of the answer
// before it.
func (c *pastCount) usedAt(at int64, said *int64) (used steps.Used, err error) {
	r, err := c.from.At(at)
	if err != nil {
		return used, err
	}
	if r.Kind == journal.Said {
		*said = at
	}
	return c.used(r, *said)
}

// used returns what was used, by a record. A result has the usage of all attempts.
func (c *pastCount) used(r journal.Record, said int64) (used steps.Used, err error) {
	switch {
	case r.Kind == journal.Said:
		return c.said(r)
	case r.Kind == journal.Answer:
		return c.answered(r, said)
	case r.Kind == journal.Ended, r.Kind == journal.Again, r.About == journal.Keep:
		var result StepResult
		err = c.from.Decode(r, &result)
		return result.Used, err
	}
	return used, nil
}

// said returns what an answer used, also one that broke off.
func (c *pastCount) said(r journal.Record) (used steps.Used, err error) {
	var said steps.Said
	if err := c.from.Decode(r, &said); err != nil {
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
func (c *pastCount) answered(r journal.Record, said int64) (used steps.Used, err error) {
	var answer steps.CallAnswer
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
		denied, err := DeniedCall(c.from, said, &answer)
		if err != nil {
			return used, err
		}
		used.Denied = []steps.Denial{denied}
	}
	return used, nil
}

// count writes what was used into the result of the run, and into those of steps that have
// not ended.
func (c *pastCount) count(r *Result, top *history.Unit) {
	r.account(deref(c.by[top]))
	for u := range top.All(false) {
		if step := r.Steps.of(u.Unit.Path()); step != nil && step.Status == "" {
			step.Used = deref(c.by[u])
		}
	}
}

// DeniedCall returns the denial of a call. The model's answer that makes the call is at the
// offset said of the journal.
func DeniedCall(from *journal.Reader, said int64, answer *steps.CallAnswer) (d steps.Denial, err error) {
	r, err := from.At(said)
	if err != nil {
		return d, err
	}
	var s steps.Said
	if err := from.Decode(r, &s); err != nil {
		return d, err
	}
	d = steps.Denial{Tool: "?", Rule: answer.Rule}
	if calls := s.Message.Calls(); answer.Place >= 0 && answer.Place < len(calls) {
		d.Tool, d.Input = calls[answer.Place].Name, calls[answer.Place].Arguments
	}
	return d, nil
}
