package history

import (
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

// A Unit is a step, an element of one, or the run.
type Unit struct {
	Unit   journal.Address // without its attempt; the zero Address: the run, or only records inside it are known
	Around *Unit           // nil: it is the run
	Part   bool            // it is an element, or inside one
	Label  string          // of an element

	Anew      bool          // it runs again since a resume, and has no record since then
	Began     time.Time     // zero: it has not begun since it ended last
	Before    time.Duration // how long processes had worked in the run when it began
	Ended     int64         // the offset of the record with its result; 0: it has not ended
	EndedAt   time.Time     // this, Status, ErrorKind, Forgiven and Fatal are from that record
	Status    steps.Status
	ErrorKind steps.Kind // the kind of its error

	Forgiven, Fatal bool

	Hides bool // a secret is hidden in its result, as [Run.Hidden] says

	Steps    map[string]*Unit         // the steps inside it, by name, in its last round and attempt
	Rounds   map[int]map[string]*Unit // the same for earlier rounds of that attempt: the two before, or all if everything is kept
	*Foreach                          // nil: it is no foreach, or has not begun

	Process int   // the last process in which it has records
	Turns   int   // of the attempt
	Called  int64 // the offset of the call that runs; 0: none does

	Own Counts // of the unit alone, since it began

	Inner []int64 // of an element: the offsets of the results, and the lists, of units inside it

	// What a resumed run needs to know: decisions, and where the unit stands. Numbers are those of records; 0 is
	// none. Offsets are those of records in the journal.

	Attempt    int   // the last one
	Tries      int   // attempts that failed since the unit ended last
	BeganSeq   int64 // the number of the record with which the last attempt began
	EndSeq     int64 // that of the record with its result
	ResultSeq  int64 // that of the record that had the result first: a kept result is older
	Begun      bool  // the last attempt has begun, and has not failed with another one to follow
	Once       bool  // it, or something inside it, may begin only once, and has begun
	CalledOnce bool  // the same of something in a call of it, or of a conversation inside it
	Waits      bool  // it has done nothing since it asked a person

	If         Decision // the condition
	Until      Decision // the condition of a group, after a round
	EndedRound int      // the round in which the unit ended last; limits of rounds count from there

	Listed  int64   // of an element: the offset of the list with which its last attempt began
	Work    int64   // the offset of the attempt's work
	Facts   []int64 // the offsets of its conversation
	Ends    []int   // how many of them there were each time that the attempt ended
	Replied int64   // the offset of a person's last answer, if nothing but other questions came after it

	Retried int64         // the offset of the record of a failed attempt that another one follows, which has not begun
	RetryAt time.Time     // when that one may begin
	Backoff time.Duration // how long the wait for it is in all

	Expense
	UsedUp        Decision      // that its budget is used up, and nothing more begins inside
	SpentBefore   tools.Amount  // the unit and everything inside it, before the last attempt; in flight as well
	SpentAnew     tools.Amount  // the same, before the unit began anew: not by a retry
	Took          time.Duration // time that earlier processes worked on the attempt
	since, latest time.Time     // when the last process began to work on it, and its last record

	inside  pass
	element bool // it is one of a foreach, or a call of a tool
}

// A pass identifies one execution of the steps inside a unit.
type pass struct{ attempt, round int }

// InRound returns the steps inside the unit, by name, in a round: the last one, or one of [Unit.Rounds].
func (u *Unit) InRound(round int) map[string]*Unit {
	if round == u.inside.round {
		return u.Steps
	}
	return u.Rounds[round]
}

// Round returns the round of the steps inside; 0 if there are no rounds.
func (u *Unit) Round() int { return u.inside.round }

// HasElements reports whether the unit is a foreach whose list is known.
func (u *Unit) HasElements() bool { return u.Foreach != nil && u.List.Seq != 0 }

// Converses reports whether the unit is a conversation. What is inside it are calls that run workflows, and
// its own result counts.
func (u *Unit) Converses() bool { return len(u.Facts) > 0 }

// Caller returns the outermost conversation one of whose calls the unit is, or is inside of; nil: there is none.
func (u *Unit) Caller() (caller *Unit) {
	for u = u.Around; u != nil; u = u.Around {
		if u.Converses() {
			caller = u
		}
	}
	return caller
}

// IsOpen reports whether the unit has begun and not ended.
func (u *Unit) IsOpen() bool { return !u.Began.IsZero() && u.Ended == 0 }

// Good reports whether the unit has succeeded or was skipped.
func (u *Unit) Good() bool {
	return u.Ended != 0 && (u.Status == steps.Succeeded || u.Status == steps.Skipped)
}

// IsContinued reports whether the unit failed, or was stopped at a limit, and counts as success because
// of on_error: continue.
func (u *Unit) IsContinued() bool {
	return u.Ended != 0 && u.Forgiven && !u.Fatal && (u.Status == steps.Failed || u.Status == steps.Stopped)
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
	if u.Foreach == nil || !elements {
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
func (u *Unit) At(address journal.Address) *Unit {
	for part := range address.Parts() {
		if u = u.Steps[part.Name]; u != nil && part.Element >= 0 {
			if u.Foreach == nil {
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
// are dropped.
func (u *Unit) find(address journal.Address, whole bool) *Unit {
	attempt := 0
	for part := range address.Parts() {
		u.enter(pass{attempt, part.Round}, whole)
		if u = u.step(part.Name); part.Element >= 0 {
			u = u.elementAt(part.Element)
		}
		attempt = part.Attempt
	}
	return u
}

// enter begins a pass, unless the unit is in it.
func (u *Unit) enter(now pass, whole bool) {
	if u.inside == now {
		return
	}
	switch {
	case u.inside.attempt < 0: // nothing is inside
	case u.inside.attempt != now.attempt:
		u.drop()
	default:
		if u.Rounds == nil {
			u.Rounds = map[int]map[string]*Unit{}
		}
		u.Rounds[u.inside.round], u.Steps = u.Steps, u.Rounds[now.round]
		maps.DeleteFunc(u.Rounds, func(round int, _ map[string]*Unit) bool {
			return round == now.round || !whole && round < now.round-2
		})
	}
	u.inside, u.Inner = now, nil
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

// take applies a record of the unit itself.
func (u *Unit) take(r *journal.Record, of *Run) {
	if u.Unit = r.Unit.WithAttempt(0); r.Label != "" {
		u.Label = r.Label
	}
	if u.element && u.Around.Unit.IsZero() { // a tool, which has no records but those of its calls
		u.Around.Unit = u.Unit.WithElement(-1)
	}
	if of.Resumes && u.staysEnded(r) {
		return
	}
	if u.Ended != 0 {
		u.Began, u.Own = time.Time{}, Counts{}
	}
	u.Ended = 0
	u.Anew = false
	u.remember(r, of.Changed)
	u.Hides = of.Hidden != nil && IsEnd(r) && of.Hidden(r)
	u.pay(r)
	switch {
	case IsEnd(r):
		u.Called = 0
		u.Ended, u.EndedAt, u.Status, u.ErrorKind, u.Forgiven, u.Fatal = r.At, r.Time, r.Status, r.ErrorKind, r.Forgiven, r.Fatal
	case r.About == journal.Elements:
		u.begins(r.Time, of.Worked)
		now := newForeach()
		now.List, now.Count, now.LeftOut = decisionIn(r), r.Count, r.LeftOut
		if of.Resumes && u.Foreach != nil { // its elements may still count
			now.Open, now.good = u.Open, u.good
		}
		u.Foreach = now
	case r.Kind == journal.Began:
		u.begins(r.Time, of.Worked)
		u.Called = 0
	case r.Kind == journal.Said:
		u.Turns++
		u.Called = 0
	case r.Kind == journal.CallStarted:
		u.Called = r.At
	case r.Kind == journal.CallEnded:
		u.Called = 0
	}
}

// staysEnded reports whether a record leaves the unit as it had ended, since nothing was done in it
// since then: its condition was evaluated again, or it was skipped or cancelled because of others.
func (u *Unit) staysEnded(r *journal.Record) bool {
	switch {
	case u.Ended == 0 || u.Status == steps.Skipped:
		return false
	case r.About == journal.If && r.Holds:
		u.If = decisionIn(r)
		return true
	}
	return r.Kind == journal.Ended && (r.Status == steps.Skipped || r.Status == steps.Cancelled)
}

func (u *Unit) begins(at time.Time, worked time.Duration) {
	if u.Began.IsZero() {
		u.Began, u.Before = at, worked
	}
}

// isGood reports whether the unit and everything inside it has succeeded.
func (u *Unit) isGood() bool {
	if !u.Good() || u.Foreach != nil && len(u.Open) > 0 {
		return false
	}
	for _, step := range u.Steps {
		if !step.isGood() {
			return false
		}
	}
	return true
}

// forget applies that units run again, with everything inside them; so nothing around one has ended.
// It reports whether there are any.
func (u *Unit) forget(from journal.Address) (found bool) {
	for name, step := range u.Steps {
		if from.Contains(step.Unit) {
			u.Steps[name] = step.cleared()
			found = true
		} else if step.forget(from) {
			found = true
		}
	}
	if u.Foreach != nil && u.forgetElements(from) {
		found = true
	}
	if found {
		u.Ended = 0
		u.UsedUp = Decision{}
	}
	return found
}

// cleared returns the unit as one that runs again: only what is true of all its attempts is left.
func (u *Unit) cleared() *Unit {
	anew := &Unit{Unit: u.Unit, Around: u.Around, Part: u.Part, Label: u.Label, Anew: true, element: u.element}
	anew.Attempt, anew.Expense, anew.inside.attempt = u.Attempt, u.Expense, -1
	if u.Foreach == nil {
		return anew
	}
	anew.Foreach = newForeach()
	for _, index := range u.Indexes() {
		e := u.ElementOf(index).cleared()
		anew.Open[index], e.Around = e, anew
	}
	return anew
}

// isAround reports whether there may be units inside an element that an address names.
func isAround(element, address journal.Address) bool {
	for !address.IsZero() && address.Path() != element.Path() {
		address = address.Parent()
	}
	return !address.IsZero() && address.Contains(element)
}

// onOneWay reports whether one of the units is the other, or inside it, in whatever round and
// attempt.
func onOneWay(u, v journal.Address) bool {
	others := slices.Collect(v.Parts())
	i := 0
	for part := range u.Parts() {
		if i == len(others) {
			break
		}
		if other := others[i]; part.Name != other.Name || min(part.Element, other.Element) >= 0 && part.Element != other.Element {
			return false
		}
		i++
	}
	return true
}
