package past

import (
	"iter"
	"time"

	"github.com/a-seed-11b9befa/flow/runner/journal"
)

// A Unit is a step, an element of one, or the run.
type Unit struct {
	Unit   journal.Unit // without its attempt; the zero Unit: the run, or only records inside it are known
	Around *Unit        // nil: it is the run
	Part   bool         // it is an element, or inside one
	Label  string       // of an element

	Anew    bool      // it runs again since a resume, and has no record since then
	Began   time.Time // zero: it has not begun since it ended last
	Ended   int64     // the offset of the record with its result; 0: it has not ended
	EndedAt time.Time // this, Status and Reason are from that record
	Status  journal.Status
	Reason  string // the kind of its error

	Steps map[string]*Unit // the steps inside it, by name, in its last round and attempt
	*Fan                   // nil: it is no foreach, or has not begun

	Process int   // the last process in which it has records
	Turns   int   // of the attempt
	Said    int64 // the offset of the attempt's last answer; 0: there is none
	Called  int64 // the offset of the call that runs; 0: none does

	Counts        // of the unit and everything inside it
	Own    Counts // of the unit alone, since it began

	attempt int
	inside  pass
	element *Element // nil: it is none
}

// A pass identifies one execution of the steps inside a unit.
type pass struct{ attempt, round int }

// A Fan is a foreach that has begun.
type Fan struct {
	List    int64 // the offset of its list
	Count   int   // with the elements that are left out
	LeftOut []int

	Elements map[int]*Element // those that have records
	Open     map[int]*Unit    // those of them that have not ended, or in which something did not succeed
}

// An Element has the offsets of an element's records.
type Element struct {
	Ended int64   // of its result; 0: it has not ended
	Inner []int64 // of the results, and the lists, of units inside it
}

// Counts are numbers of things that units did, and what they used.
type Counts struct {
	Turns, Calls, Denied int
	Spent                journal.Amount
	Unpriced             bool // the cost of an answer is not known
}

func (c *Counts) add(by Counts) {
	c.Turns, c.Calls, c.Denied = c.Turns+by.Turns, c.Calls+by.Calls, c.Denied+by.Denied
	c.Spent, c.Unpriced = c.Spent.Plus(by.Spent), c.Unpriced || by.Unpriced
}

// Round returns the round of the steps inside; 0 if there are no rounds.
func (u *Unit) Round() int { return u.inside.round }

// IsFan reports whether the unit is a foreach whose list is known.
func (u *Unit) IsFan() bool { return u.Fan != nil && u.List != 0 }

// IsOpen reports whether the unit has begun and not ended.
func (u *Unit) IsOpen() bool { return !u.Began.IsZero() && u.Ended == 0 }

// Good reports whether the unit has succeeded or was skipped.
func (u *Unit) Good() bool {
	return u.Ended != 0 && (u.Status == journal.Succeeded || u.Status == journal.Skipped)
}

// LabelAround returns the label of the element that the unit is, or is inside of.
func (u *Unit) LabelAround() string {
	for ; u != nil; u = u.Around {
		if u.Label != "" {
			return u.Label
		}
	}
	return ""
}

// All returns the units inside a unit, directly or indirectly, in no order; elements only if
// asked for, and only those that are open.
func (u *Unit) All(elements bool) iter.Seq[*Unit] {
	return func(yield func(*Unit) bool) { u.each(elements, yield) }
}

func (u *Unit) each(elements bool, yield func(*Unit) bool) bool {
	for _, step := range u.Steps {
		if !yield(step) || !step.each(elements, yield) {
			return false
		}
	}
	if u.Fan == nil || !elements {
		return true
	}
	for _, element := range u.Open {
		if !yield(element) || !element.each(elements, yield) {
			return false
		}
	}
	return true
}

// At returns the unit with that address, whatever rounds and attempts are in it; nil if
// nothing is known of it.
func (u *Unit) At(address journal.Unit) *Unit {
	for part := range address.Parts() {
		if u = u.Steps[part.Name]; u != nil && part.Element >= 0 {
			if u.Fan == nil {
				return nil
			}
			u = u.Open[part.Element]
		}
		if u == nil {
			return nil
		}
	}
	return u
}

// find returns the unit with an address, and adds it if it is not there. If the address is
// in a later round, or a later attempt, of a unit around it, the steps of the earlier one
// are forgotten.
func (u *Unit) find(address journal.Unit) *Unit {
	attempt := 0
	for part := range address.Parts() {
		if now := (pass{attempt, part.Round}); u.inside != now {
			if u.Steps, u.inside = nil, now; u.element != nil {
				u.element.Inner = nil
			}
		}
		if u = u.step(part.Name); part.Element >= 0 {
			u = u.elementAt(part.Element)
		}
		attempt = part.Attempt
	}
	return u
}

func (u *Unit) step(name string) *Unit {
	step := u.Steps[name]
	if step == nil {
		if u.Steps == nil {
			u.Steps = map[string]*Unit{}
		}
		step = &Unit{Around: u, Part: u.Part}
		u.Steps[name] = step
	}
	return step
}

func (u *Unit) elementAt(index int) *Unit {
	if u.Fan == nil {
		u.Fan = &Fan{Elements: map[int]*Element{}, Open: map[int]*Unit{}}
	}
	if u.Elements[index] == nil {
		u.Elements[index] = &Element{}
	}
	if u.Open[index] == nil {
		u.Open[index] = &Unit{Around: u, Part: true, element: u.Elements[index]}
	}
	return u.Open[index]
}

// take applies a record of the unit itself.
func (u *Unit) take(r *journal.Record) {
	if u.Unit = r.Unit.WithAttempt(0); r.Label != "" {
		u.Label = r.Label
	}
	if u.Ended != 0 {
		u.Began, u.Own = time.Time{}, Counts{}
	}
	u.ends(0)
	u.Anew = false
	switch {
	case IsEnd(r):
		u.ends(r.At)
		u.EndedAt, u.Status, u.Reason = r.Time, r.Status, r.Reason
	case r.About == journal.Elements:
		u.begins(r.Time)
		u.Fan = &Fan{List: r.At, Count: r.Count, LeftOut: r.LeftOut, Elements: map[int]*Element{}, Open: map[int]*Unit{}}
	case r.Kind == journal.Began:
		u.begins(r.Time)
		if attempt := r.Unit.Attempt(); attempt != u.attempt {
			u.attempt, u.Turns, u.Said = attempt, 0, 0
		}
		u.Called = 0
	case r.Kind == journal.Said:
		u.Turns++
		u.Said, u.Called = r.At, 0
		u.count(Counts{Turns: 1, Spent: r.Spent, Unpriced: len(r.Unpriced) > 0})
	case r.Kind == journal.Called:
		u.Called = r.At
	case r.Kind == journal.Answer:
		u.Called = 0
		by := Counts{Calls: 1}
		if r.Status == Denied {
			by.Denied = 1
		}
		u.count(by)
	}
}

// Denied is the status of a call that was denied.
const Denied journal.Status = "denied"

func (u *Unit) begins(at time.Time) {
	if u.Began.IsZero() {
		u.Began = at
	}
}

// ends sets the offset of the record with the unit's result; 0: the unit has not ended.
func (u *Unit) ends(at int64) {
	if u.Ended = at; u.element != nil {
		u.element.Ended = at
	}
}

// count adds to the counts of the unit and of all units around it.
func (u *Unit) count(by Counts) {
	u.Own.add(by)
	for ; u != nil; u = u.Around {
		u.Counts.add(by)
	}
}

// settle forgets an element, or a unit inside one, if it and everything inside it has
// succeeded.
func (u *Unit) settle() {
	if !u.Part || !u.Good() || len(u.Steps) > 0 || u.Fan != nil && len(u.Open) > 0 {
		return
	}
	if index, is := u.Unit.Element(); is {
		delete(u.Around.Open, index)
	} else {
		delete(u.Around.Steps, u.Unit.Name())
	}
}

// forget applies that units run again, with everything inside them; so nothing around one has ended.
// It reports whether there are any.
func (u *Unit) forget(from journal.Unit) (found bool) {
	for name, step := range u.Steps {
		if from.Contains(step.Unit) {
			u.Steps[name] = &Unit{Unit: step.Unit, Around: u, Part: u.Part, Counts: step.Counts, Anew: true}
			found = true
		} else if step.forget(from) {
			found = true
		}
	}
	if u.Fan != nil && u.forgetElements(from) {
		found = true
	}
	if found {
		u.ends(0)
	}
	return found
}

// forgetElements is forget for the elements of a foreach.
func (u *Unit) forgetElements(from journal.Unit) (found bool) {
	for index, element := range u.Elements {
		switch address, open := u.Unit.WithElement(index), u.Open[index]; {
		case from.Contains(address):
			*element = Element{}
			delete(u.Open, index)
		case isAround(address, from): // what is inside one that succeeded is not kept
			if element.Ended = 0; open != nil {
				open.forget(from)
				open.ends(0)
			}
		default:
			continue
		}
		found = true
	}
	return found
}

// isAround reports whether there may be units inside an element that an address names.
func isAround(element, address journal.Unit) bool {
	for !address.IsZero() && address.Path() != element.Path() {
		address = address.Parent()
	}
	return !address.IsZero() && address.Contains(element)
}
