package runner

import (
	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/runner/record"
	"github.com/a-seed-11b9befa/flow/runner/unit"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

// A pastCount counts what a run that has not ended has used, and the steps in it
// that have not.
type pastCount struct {
	from *journal.Reader
	run  *Result
	open []*StepResult // the steps that have not ended
	said map[unit.Unit]lastSaid
}

// lastSaid is the last answer of an attempt that goes on.
type lastSaid struct {
	at   int64
	turn int
}

// count counts the records of the run again, now that it is known what has ended.
func (p *pastRun) count(r *Result) error {
	c := &pastCount{from: p.from, run: r, said: map[unit.Unit]lastSaid{}}
	for _, step := range r.Steps {
		if step.Status == "" {
			c.open = append(c.open, step)
		}
	}
	for fact, err := range p.from.Records() {
		if err == nil {
			err = c.take(fact)
		}
		if err != nil {
			return err
		}
	}
	r.Cost.Known = len(r.Unpriced) == 0
	for _, step := range c.open {
		if len(step.Unpriced) > 0 {
			step.CostUSD = nil
		}
	}
	return nil
}

func (c *pastCount) take(r record.Record) error {
	switch r.Kind {
	case record.Said:
		return c.heard(r)
	case record.Answer:
		return c.answered(r)
	case record.Ended:
		for n := 1; ; n++ {
			if _, known := c.said[r.Unit.WithAttempt(n)]; !known {
				return nil
			}
			delete(c.said, r.Unit.WithAttempt(n))
		}
	}
	return nil
}

// around are the steps that have not ended of which a unit is a part.
func (c *pastCount) around(u unit.Unit) (around []*StepResult) {
	for _, step := range c.open {
		if step.Unit.Contains(u) {
			around = append(around, step)
		}
	}
	return around
}

// heard counts an answer, also one that broke off.
func (c *pastCount) heard(r record.Record) error {
	var said steps.Said
	if err := c.from.Decode(r, &said); err != nil {
		return err
	}
	var used providers.Usage
	for _, s := range said.Used {
		used = used.Add(s.Usage)
	}
	last := c.said[r.Unit]
	c.said[r.Unit] = lastSaid{r.At, said.Turn}
	c.run.Usage = c.run.Usage.Add(used)
	c.run.Cost.USD += r.Spent.CostUSD
	c.run.Unpriced = union(c.run.Unpriced, r.Unpriced)
	for _, step := range c.around(r.Unit) {
		if step.Usage == nil {
			step.Usage, step.CostUSD = &providers.Usage{}, new(float64)
		}
		*step.Usage = step.Usage.Add(used)
		*step.CostUSD += r.Spent.CostUSD
		step.Unpriced = union(step.Unpriced, r.Unpriced)
		if said.Turn > last.turn && said.Error == nil && !said.Cut {
			step.Turns++
		}
		if said.Saved != nil {
			step.Cached++
		}
	}
	return nil
}

// answered counts a call that has ended.
func (c *pastCount) answered(r record.Record) error {
	around := c.around(r.Unit)
	if len(around) == 0 {
		return nil
	}
	var answer steps.CallAnswer
	if err := c.from.Decode(r, &answer); err != nil {
		return err
	}
	for _, step := range around {
		step.ToolCalls++
		if answer.Truncated {
			step.Truncated++
		}
		if answer.Lost {
			step.Lost++
		}
	}
	if answer.Status != tools.Denied {
		return nil
	}
	asked, err := c.from.At(c.said[r.Unit].at)
	if err != nil {
		return err
	}
	var said steps.Said
	if err := c.from.Decode(asked, &said); err != nil {
		return err
	}
	denial := steps.Denial{Tool: "?", Rule: answer.Rule}
	if calls := said.Message.Calls(); answer.Place >= 0 && answer.Place < len(calls) {
		denial.Tool, denial.Input = calls[answer.Place].Name, calls[answer.Place].Arguments
	}
	for _, step := range around {
		step.Denied = append(step.Denied, denial)
	}
	return nil
}
