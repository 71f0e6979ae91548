package runner

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/runner/record"
	"github.com/a-seed-11b9befa/flow/runner/unit"
	"github.com/a-seed-11b9befa/flow/steps"
)

// A history is what earlier processes have come to in a run that is gone on with: the
// fold of its journal. What the run comes to again, it takes from here in place of
// doing it. Nil is that of a new run. It is safe for concurrent use.
type history struct {
	from *journal.Reader

	mu       sync.Mutex
	units    map[unit.Unit]*pastUnit    // steps and elements, with the rounds and attempts around them
	attempts map[unit.Unit]*pastAttempt // of these
	began    time.Time
	cut      bool          // the last process did not come to the end of the run
	status   record.Status // of the run, where it did
}

// A pastUnit is a step or an element.
type pastUnit struct {
	ended    *record.Record
	anew     bool // what it came to does not count any more
	holds    *record.Record
	elements *record.Record
	first    int64 // the record with which it began, since it was last taken up anew; 0: it did not
	base     int   // attempts that no longer count
	most     int   // the last attempt
}

// A pastAttempt is one attempt of a unit.
type pastAttempt struct {
	began, again *record.Record
	rested       bool
	untils       []bool // of a group, after each of its rounds
	rounds       int    // of those, the ones that no longer count
	facts        []record.Record
	spent        record.Amount
	worked       time.Duration // of processes before the last one
	since, last  time.Time     // of the last one
}

// readHistory folds a journal.
func readHistory(from *journal.Reader) (*history, error) {
	h := &history{from: from, units: map[unit.Unit]*pastUnit{}, attempts: map[unit.Unit]*pastAttempt{}, cut: true}
	for r, err := range from.Records() {
		if err != nil {
			return nil, err
		}
		h.take(r)
	}
	return h, nil
}

func (h *history) take(r record.Record) {
	switch r.Kind {
	case record.Run:
		h.began = r.Time
		return
	case record.Warned:
		return
	case record.End:
		h.cut, h.status = r.Status == record.Cancelled, r.Status
		return
	case record.Resumed:
		h.resume(r.From)
		return
	}
	h.reopen(r.Unit)
	u := h.unit(r.Unit)
	switch {
	case r.Kind == record.Ended:
		u.ended, u.anew = &r, false
		u.first = firstOf(u.first, r.Seq)
	case r.About == record.If:
		u.holds = &r
	case r.About == record.Elements:
		if u.elements != nil { // it was taken up anew
			h.forget(r.Unit)
		}
		u.elements, u.first = &r, r.Seq
	default:
		h.takeAttempt(u, r)
	}
}

func firstOf(first, seq int64) int64 {
	if first == 0 {
		return seq
	}
	return first
}

// reopen takes note that something happens in units that had ended.
func (h *history) reopen(u unit.Unit) {
	for at := u; !at.IsZero(); at = at.Parent() {
		plain := at.WithAttempt(0)
		for _, of := range []unit.Unit{plain, plain.WithElement(-1)} {
			if past := h.units[of]; past != nil && past.ended != nil {
				past.anew = true
			}
		}
	}
}

func (h *history) takeAttempt(u *pastUnit, r record.Record) {
	a := h.attempt(r.Unit)
	switch {
	case r.Kind == record.Began:
		n := r.Unit.Attempt()
		if before := h.attempts[r.Unit.WithAttempt(max(n-1, 1))]; n > max(u.most, 1) && (before == nil || before.again == nil) { // it was taken up anew
			u.base, u.first = n-1, 0
		}
		u.most, u.first = max(u.most, n), firstOf(u.first, r.Seq)
		if !a.since.IsZero() {
			a.worked += a.last.Sub(a.since)
		}
		a.began, a.since = &r, r.Time
	case r.Kind == record.Again:
		a.again = &r
	case r.About == record.Rested:
		a.rested = true
	case r.About == record.Until:
		a.untils = append(a.untils[:min(r.Count-1, len(a.untils))], r.Holds)
	case r.Kind == record.Said, r.Kind == record.Called, r.Kind == record.Answer, r.About == record.Inner:
		a.facts = append(a.facts, r)
	}
	a.spent, a.last = a.spent.Plus(r.Spent), r.Time
}

// resume takes up again what is to be done again: of a run that had ended what did
// not succeed, of any other what was interrupted, and what is named.
func (h *history) resume(from []unit.Unit) {
	for name, u := range h.units {
		if u.ended == nil || u.anew {
			continue
		}
		switch u.ended.Status {
		case record.Succeeded, record.Skipped:
		case record.Cancelled: // it goes on where it was
			u.anew = true
		default:
			if !h.cut && h.status != record.Succeeded && !h.withinSuccess(name) {
				u.anew = true
				if a := h.attempts[name.WithAttempt(u.most)]; a != nil && a.began != nil && a.began.Data.IsZero() { // a group goes on in its attempt
					if u.ended.Reason == string(steps.KindLimit) {
						a.rounds = len(a.untils)
					}
				} else {
					u.base = u.most
				}
			}
		}
	}
	for _, name := range from {
		h.forget(name)
		h.reopen(name)
	}
	h.cut, h.status = true, ""
}

// withinSuccess reports whether something around a unit has succeeded.
func (h *history) withinSuccess(u unit.Unit) bool {
	for at := u.Parent(); !at.IsZero(); at = at.Parent() {
		if past := h.units[at.WithAttempt(0)]; past != nil && past.ended != nil && !past.anew && past.ended.Status == record.Succeeded {
			return true
		}
	}
	return false
}

func (h *history) unit(u unit.Unit) *pastUnit {
	u = u.WithAttempt(0)
	past := h.units[u]
	if past == nil {
		past = &pastUnit{}
		h.units[u] = past
	}
	return past
}

func (h *history) attempt(u unit.Unit) *pastAttempt {
	a := h.attempts[u]
	if a == nil {
		a = &pastAttempt{}
		h.attempts[u] = a
	}
	return a
}

// forget takes up a unit anew, with all that is in it.
func (h *history) forget(u unit.Unit) {
	if h == nil {
		return
	}
	for name, past := range h.units {
		if u.Contains(name) {
			*past = pastUnit{ended: past.ended, anew: past.ended != nil, base: past.most, most: past.most}
		}
	}
}

// of returns what is known of a unit; never nil.
func (h *history) of(u unit.Unit) (none pastUnit) {
	if h == nil {
		return none
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if past := h.units[u.WithAttempt(0)]; past != nil {
		return *past
	}
	return none
}

// in returns what is known of an attempt.
func (h *history) in(u unit.Unit) (none pastAttempt) {
	if h == nil {
		return none
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if a := h.attempts[u]; a != nil {
		return *a
	}
	return none
}

// anew takes up a step anew where something that it depends on came after it.
func (h *history) anewIfStale(u unit.Unit, fresh bool, after []unit.Unit) {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	past := h.units[u]
	if past == nil || past.first == 0 {
		return
	}
	stale := fresh || slices.ContainsFunc(after, func(other unit.Unit) bool {
		o := h.units[other]
		return o != nil && o.ended != nil && o.ended.Seq > past.first
	})
	if stale {
		h.forget(u)
	}
}

// spentIn is what was used in a unit so far.
func (h *history) spentIn(u unit.Unit) (sum amount) {
	if h == nil {
		return sum
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for name, a := range h.attempts {
		if u.Contains(name) {
			sum = sum.add(amount{a.spent.Tokens, a.spent.CostUSD})
		}
	}
	return sum
}

// result reads the result that a record has.
func (h *history) result(r *record.Record) (*StepResult, error) {
	data, err := h.from.Data(*r)
	if err != nil {
		return nil, err
	}
	var result StepResult
	if err := result.UnmarshalJSON(data); err != nil {
		return nil, fmt.Errorf("record %d: %w", r.Seq, err)
	}
	return &result, nil
}

// past is the conversation of an attempt.
func (h *history) past(a pastAttempt) (p steps.Past, err error) {
	p.Worked = a.worked
	if len(a.facts) > 0 {
		p.Worked += a.last.Sub(a.since)
	}
	for _, r := range a.facts {
		data, err := h.from.Data(r)
		if err != nil {
			return p, err
		}
		var f steps.Fact
		var into any = &f
		switch r.Kind {
		case record.Said:
			f.Said = &steps.Said{}
			into = f.Said
		case record.Called:
			f.Call = &steps.Intent{}
			into = f.Call
		case record.Answer:
			f.Answer = &steps.CallAnswer{}
			into = f.Answer
		}
		if err := json.Unmarshal(data, into); err != nil {
			return p, fmt.Errorf("record %d: %w", r.Seq, err)
		}
		p.Facts = append(p.Facts, f)
	}
	return p, nil
}
