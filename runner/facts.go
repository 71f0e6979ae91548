package runner

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
)

// conversation returns the conversation so far of an attempt that continues.
func (u *unit) conversation() (p steps.Past, err error) {
	is := u.soFar()
	facts := is.Facts
	p.Worked = is.Took
	asked := map[string]steps.Pending{}
	for i, at := range facts {
		if slices.Contains(is.Ends, i) {
			p.Facts = append(p.Facts, steps.Fact{Ended: true})
		}
		r, data, err := u.store.recordAt(at)
		if err != nil {
			return p, err
		}
		f, err := factIn(r, data, asked)
		if err != nil {
			return p, fmt.Errorf("record %d: %w", r.Seq, err)
		}
		if f != nil {
			p.Facts = append(p.Facts, *f)
		}
	}
	if len(facts) > 0 && slices.Contains(is.Ends, len(facts)) {
		p.Facts = append(p.Facts, steps.Fact{Ended: true})
	}
	if last := len(p.Facts) - 1; last >= 0 && u.earlier.Ended == 0 {
		u.inFlight = p.Facts[last].Answer == nil && p.Facts[last].CallStarted == nil && p.Facts[last].Approval == nil
	}
	return p, nil
}

// factIn returns the fact in a record of a conversation; nil if it only says that a call waits.
func factIn(r journal.Record, data []byte, asked map[string]steps.Pending) (f *steps.Fact, err error) {
	f = &steps.Fact{}
	var into any = f
	switch r.Kind {
	case journal.Said:
		f.Answer = &steps.Answer{}
		into = f.Answer
	case journal.CallStarted:
		f.CallStarted = &steps.CallStarted{}
		into = f.CallStarted
	case journal.CallEnded:
		f.CallEnded = &steps.CallEnded{}
		into = f.CallEnded
	case journal.Asked, journal.Answered:
		if f.Approval, err = approval(asked, r, data); f.Approval == nil {
			return nil, err
		}
		return f, err
	}
	return f, json.Unmarshal(data, into)
}

// remember records a fact of the step's conversation.
func (u *unit) remember(f steps.Fact) {
	fact := journal.Record{Unit: u.unit}
	var data any = f
	switch {
	case f.Answer != nil:
		fact.Kind, data = journal.Said, f.Answer
	case f.CallStarted != nil:
		fact.Kind, fact.Call, data = journal.CallStarted, f.CallStarted.ID, f.CallStarted
	case f.CallEnded != nil:
		fact.Kind, fact.Call, fact.Status, data = journal.CallEnded, f.CallEnded.ID, steps.Status(f.CallEnded.Status), f.CallEnded
	default:
		fact.Kind, fact.About = journal.Decided, journal.Inner
	}
	if used := f.Used(u.in.price); f.Answer != nil || f.CallEnded != nil {
		used.Denied = nil
		fact.Used = &used
	}
	u.recordFact(fact, data)
}

// recordFact records a fact of the attempt, and counts what it says was spent.
func (u *unit) recordFact(fact journal.Record, data any, events ...Event) *journal.Record {
	p := &entry{record: fact, data: data, events: events}
	p.also = func() {
		u.budget.take(&p.record)
		u.inFlight = u.inFlight && data == nil
	}
	return u.append(p)
}
