package view

import (
	"slices"
	"time"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/history"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
)

// A pastFold collects from the records of a run what people see beside the state of units. It
// needs only the heads of records, and reads the data of the few that are shown.
type pastFold struct {
	*Past
	run     history.Run
	from    *journal.Reader
	denials denials
	looked  int // denied calls whose data was read
}

func (f *pastFold) take(r journal.Record) error {
	u := f.run.Take(&r)
	switch {
	case r.Kind == journal.Warned:
		return f.warn(r)
	case u == nil:
	case history.IsEnd(&r):
		f.spender(u, r.Time)
	case r.Kind == journal.Said:
		for _, model := range r.Unpriced {
			if !slices.Contains(f.Unpriced, model) {
				f.Unpriced = append(f.Unpriced, model)
			}
		}
	case r.Kind == journal.Answer && r.Status == history.Denied:
		return f.denied(u, r)
	}
	return nil
}

// warn keeps the first warnings of the whole run; those of units are shown with the units.
func (f *pastFold) warn(r journal.Record) error {
	const most = 10
	var w journal.Warning
	if len(f.Warned) == most || !r.Unit.IsZero() {
		return nil
	}
	if err := f.from.Decode(r, &w); err != nil {
		return err
	}
	if line := Brief(joined(w.Message, w.Error)); !slices.Contains(f.Warned, line) {
		f.Warned = append(f.Warned, line)
	}
	return nil
}

// countsOf returns counts from the heads of records.
func countsOf(c history.Counts) Counts {
	return Counts{Turns: c.Turns, Calls: c.Calls, Denied: c.Denied, Tokens: c.Spent.Tokens, CostUSD: c.Spent.CostUSD, Unpriced: c.Unpriced}
}

// maxSpenders is how many of the most expensive units are shown.
const maxSpenders = 5

// spender keeps a unit, which has worked until then, if it is among the most expensive.
func (f *pastFold) spender(u *history.Unit, until time.Time) {
	s := Spender{Counts: countsOf(u.Own)}
	if s.Tokens == 0 && s.CostUSD == 0 || u.Began.IsZero() {
		return
	}
	s.Unit, s.Label, s.Took = nameOf(u.Unit), u.LabelAround(), f.run.Between(u.Began, until)
	for i, other := range f.Costly {
		if other.Unit == s.Unit { // in an earlier round
			s.Counts, s.Took = s.Counts.plus(other.Counts), s.Took+other.Took
			f.Costly = slices.Delete(f.Costly, i, i+1)
			break
		}
	}
	at := slices.IndexFunc(f.Costly, func(other Spender) bool {
		return s.CostUSD > other.CostUSD || s.CostUSD == other.CostUSD && s.Tokens > other.Tokens
	})
	if at < 0 {
		at = len(f.Costly)
	}
	f.Costly = slices.Insert(f.Costly, at, s)
	f.Costly = f.Costly[:min(len(f.Costly), maxSpenders)]
}

// maxLooked is the most denied calls whose data is read.
const maxLooked = 1000

// denied keeps a denied call of a model.
func (f *pastFold) denied(u *history.Unit, r journal.Record) error {
	if f.looked == maxLooked || u.Said == 0 {
		return nil
	}
	f.looked++
	var answer steps.CallEnded
	if err := f.from.Decode(r, &answer); err != nil {
		return err
	}
	call, err := runner.DeniedCall(f.from, u.Said, &answer)
	if err != nil {
		return err
	}
	place := &Unit{Place: nameOf(u.Unit), Label: u.LabelAround()}
	f.refuse(u.Unit.Path(), place.Name(), call, reasonOf(steps.Event{Tool: call.Tool, Input: call.Input, Error: answer.Reason}))
	return nil
}

func (f *pastFold) refuse(step, place string, call steps.Denial, reason string) {
	f.Unasked = f.Unasked || wasUnasked(call.Rule)
	f.denials = f.denials.add(denial{step: step, place: place, call: Call(call.Tool, call.Input) + because(call.Rule, reason), times: 1, process: f.run.Process})
}
