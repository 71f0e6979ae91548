package plan

import (
	"container/list"
	"errors"
	"fmt"

	"github.com/a-seed-11b9befa/flow/runner/record"
	"github.com/a-seed-11b9befa/flow/runner/unit"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A state is where a job stands.
type state uint8

const (
	idle      state = iota // what it needs has not ended
	deciding               // its condition is to be evaluated
	counting               // so are its elements
	queued                 // it waits for a slot
	ready                  // it is to begin, or to go on
	resting                // it waits until another attempt may begin
	judging                // whether its group goes another round
	finishing              // all inside of it has ended
	closing                // it ends without having begun, or without having been tried again
	working                // it works
	asking                 // it waits for a person
	inside                 // steps in it run, or elements of it
	ended
)

// A Stop is why a unit has to end.
type Stop uint8

// The reasons, each of which goes before those above it.
const (
	_           Stop = iota // it need not
	BySibling               // another one failed
	ByInterrupt             // the run was interrupted; steps in it that ask always() have time still
	ByOther                 // its time was up, or the run is over
)

// A verdict is whether the condition of a group holds.
type verdict uint8

const (
	_ verdict = iota
	holds
	holdsNot
)

// A job is a step of a list, an element of a foreach, or the run.
type job struct {
	unit  unit.Unit
	step  *workflows.Step // nil: the run
	steps *steps          // in which it stands; nil of an element and the run
	place int             // there, or among the elements
	fan   *job            // of which it is an element

	state   state
	due     *list.Element // in the agenda
	stopped Stop
	stands  bool // none of the steps that it needs failed

	attempt int // the last, or the one that is to begin
	base    int // the attempts of whatever there was in its place before
	first   int // the attempt from which retries count
	begun   bool
	once    bool  // of what works
	until   int64 // resting: Unix time in milliseconds
	holds   bool  // a slot
	waits   bool  // in the line for one
	goesOn  bool  // it is to go on, not to begin
	asks    map[string]bool

	answered bool // its question is: it comes to that, whatever fails beside it

	round, rounds int       // of a group that repeats: the last one, and those before that no longer count
	verdict       verdict   // after the last round
	inner         *steps    // of a group or a used workflow in its attempt
	elements      *elements // of a foreach
	spending      *Ledger   // of the run or a used workflow

	before  state         // closing: the state before
	refused bool          // its condition did not hold
	status  record.Status // closing, ended
	good    bool          // ended: what needs it may run; of an element: it succeeded
	fatal   bool          // ended: the run is to fail
	cut     bool          // ended since it was stopped by something other than a step

	anew, touched bool // it, or something in it, is to be taken up anew
	parked        bool // of an element: nothing in it goes on before a person has answered
	returns       bool // it is parked, and something in it is to go on
	owed          bool // of an element: something of it is to be done again as soon as it may
}

// isFan reports whether the job has elements, or will.
func (j *job) isFan() bool { return j.step != nil && j.step.Foreach != nil && j.fan == nil }

// works reports whether it does something itself and needs a slot for that.
func (j *job) works() bool { return j.step != nil && j.step.Works() && !j.isFan() }

// around is what the job is in; nil of the run.
func (j *job) around() *job {
	switch {
	case j.fan != nil:
		return j.fan
	case j.steps != nil:
		return j.steps.owner
	}
	return nil
}

// ledger returns the ledger of the workflow around the job.
func (j *job) ledger() *Ledger {
	for j.spending == nil {
		j = j.around()
	}
	return j.spending
}

// find finds a job by its address, and the attempt that this gives.
func (p *Plan) find(u unit.Unit) (j *job, attempt int, err error) {
	j = p.root
	for part := range u.Parts() {
		if j != p.root && max(attempt, 1) != j.attempt {
			return nil, 0, fmt.Errorf("%q is in attempt %d", j.unit, j.attempt)
		}
		if j.inner == nil || part.Round != j.round {
			return nil, 0, fmt.Errorf("nothing in that round of %q runs", j.unit)
		}
		child := j.inner.named(part.Name)
		if child != nil && part.Element >= 0 {
			child = child.element(part.Element)
		}
		if child == nil {
			return nil, 0, fmt.Errorf("no %q runs in %q", part.Name, j.unit)
		}
		j, attempt = child, part.Attempt
	}
	if j == p.root {
		return nil, 0, errors.New("it is of no unit")
	}
	return j, attempt, nil
}
