package plan

import (
	"container/list"
	"errors"
	"fmt"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A state is the state of a job.
type state uint8

const (
	idle      state = iota // the steps that it needs have not all ended
	deciding               // its condition is due to be evaluated
	counting               // its list of elements is due to be evaluated
	queued                 // it waits for a slot
	ready                  // it is due to begin, or to continue
	resting                // it waits until another attempt may begin
	judging                // its group's until is due to be evaluated
	finishing              // everything inside it has ended
	closing                // it ends without beginning, or without another attempt
	working
	asking // it waits for a person
	inside // steps or elements inside it run
	ended
)

// A Stop is why a unit has to end.
type Stop uint8

// The reasons, the weakest first: a stronger one replaces a weaker one.
const (
	_           Stop = iota // it does not have to end
	BySibling               // a step or element beside it failed
	ByInterrupt             // the run was interrupted; its steps with always() still have time
	ByOther                 // its time was up, or the run is over
)

// A verdict says whether the until of a group holds.
type verdict uint8

const (
	_ verdict = iota
	holds
	holdsNot
)

// A job is a step of a list, an element of a foreach, or the run.
type job struct {
	unit  journal.Unit
	step  *workflows.Step // nil: the run
	steps *steps          // the list that it is in; nil for an element and the run
	index int             // its index there, or among the elements
	fan   *job            // the foreach of which it is an element

	state   state
	due     *list.Element // its task in the agenda, or nil
	stopped Stop
	stands  bool // none of the steps that it needs failed

	attempt int // the last one, or the one that is due to begin
	base    int // attempts of earlier jobs with the same address
	first   int // the attempt from which retries count
	begun   bool
	once    bool  // it may not begin twice
	until   int64 // resting: Unix time in milliseconds
	atMost  int64 // resting: for how many milliseconds in all
	holds   bool  // it has a slot
	waits   bool  // it is in the line for one
	goesOn  bool  // it continues an attempt, and does not begin one
	asks    map[string]bool

	answered bool // a person has answered its question, which counts whatever fails beside it

	round, rounds int       // of a group that repeats: the last round, and the rounds before a resume, which don't count
	verdict       verdict   // after the last round
	inner         *steps    // of a group or a used workflow in its attempt
	elements      *elements // of a foreach

	before  state          // closing: the state before
	refused bool           // its condition did not hold
	status  journal.Status // closing, ended
	good    bool           // ended: steps that need it may run; for an element: it succeeded
	fatal   bool           // ended: the run has to fail
	cut     bool           // ended because it was stopped by something other than a step

	anew, touched bool // it, or something inside it, runs again
	parked        bool // of an element: nothing in it continues before a person has answered
	returns       bool // it is parked, and something inside it is due to continue
	owed          bool // of an element: something inside it runs again as soon as there is room
}

// isFan reports whether the job is a foreach.
func (j *job) isFan() bool { return j.step != nil && j.step.Foreach != nil && j.fan == nil }

// works reports whether the job does something itself, for which it needs a slot.
func (j *job) works() bool { return j.step != nil && j.step.Works() && !j.isFan() }

// around returns the job that contains this one; nil for the run.
func (j *job) around() *job {
	switch {
	case j.fan != nil:
		return j.fan
	case j.steps != nil:
		return j.steps.owner
	}
	return nil
}

// find returns the job with that address, and the attempt that the address names.
func (p *Plan) find(u journal.Unit) (j *job, attempt int, err error) {
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
