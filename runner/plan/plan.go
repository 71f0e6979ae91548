// Package plan knows the state of a run and what is due in it. A plan is a fold over
// the run's records, without clock, I/O or goroutines: the same records give the same
// answer, whichever process drives the run, and however often it was interrupted.
//
//	p := plan.New(workflow, plan.Options{})
//	for r, err := range reader.Records() {
//		err = p.Take(r) // an impossible record is an error
//	}
//	for _, task := range p.Due() {
//		// do it, append a record of it, let the plan take that
//	}
//
// A driver evaluates, renders, works and waits. Each outcome is a record, and nothing
// that depends on the outcome begins before the plan has taken the record. A task stays
// due until a record ends it, so a driver remembers what it is doing. A record of a task
// that is no longer due, because something else ended the unit, is an error: the driver
// calls [Plan.Stands] before it appends one.
package plan

import (
	"errors"
	"fmt"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// Options configure a plan. The zero value is that of a new run.
type Options struct {
	// Retain names the units that a Resumed record may run again by its From, in the
	// journal so far or later. Otherwise the plan forgets what is inside a unit that
	// succeeded.
	Retain []journal.Unit

	// Failed says that a Resumed record has Failed, or will have: the plan also
	// remembers failures inside units that succeeded.
	Failed bool

	// Revived is called, while the plan takes a record, for each unit that does not stay as
	// it was because the run is resumed: for drivers that keep more about units than the
	// plan does. A unit that goes on is told of again if it then has to start over, because
	// something that it depends on runs again. Nil: nobody is told.
	Revived func(u journal.Unit, how Revival)
}

// A Revival is what becomes of a unit when the run is resumed.
type Revival uint8

// The revivals.
const (
	Owed      Revival = iota // it has ended, and runs again once there is room for it among the elements
	Reopened                 // it had ended, and goes on
	StartOver                // it begins anew, and nothing inside it is left
)

// A Plan is the state of one run. It is not safe for concurrent use.
type Plan struct {
	workflow *workflows.Workflow
	options  Options

	seq     int64
	root    *job
	over    bool           // the run has ended, and was not resumed since
	status  journal.Status // with which it ended
	changed bool           // the files have changed: a unit that is due to begin may be kept instead

	stale []journal.Unit // see Stale

	slots, busy     int
	line            []*job // jobs that wait for a slot, in order
	agenda          agenda
	working, asking int
	parked          int // elements
}

// New returns the plan of a run that has not begun. The records must be of a run of
// that workflow.
func New(w *workflows.Workflow, o Options) *Plan {
	return &Plan{workflow: w, options: o}
}

// Take applies the next record. If the record can't follow those before it, Take
// returns an error and leaves the plan unchanged.
func (p *Plan) Take(r journal.Record) error {
	if err := p.take(&r); err != nil {
		return fmt.Errorf("record %d, %s of %q, can't be: %w", r.Seq, r.Kind, r.Unit, err)
	}
	p.seq = r.Seq
	p.grant()
	return nil
}

func (p *Plan) take(r *journal.Record) error {
	begins := r.Kind == journal.Run || r.Kind == journal.Resumed && r.Changed
	switch {
	case p.root == nil && !begins:
		return errors.New("the run has not begun")
	case p.root != nil && r.Seq != p.seq+1:
		return fmt.Errorf("the one before it has the number %d", p.seq)
	case r.Kind == journal.Run && p.root != nil:
		return errors.New("the run has begun already")
	case begins:
		return p.begin(r)
	case r.Kind == journal.Warned:
		return nil
	case r.Kind == journal.Resumed:
		return p.resume(r)
	case p.over:
		return errors.New("the run has ended")
	case r.Kind == journal.End:
		return p.end(r)
	case r.Kind == journal.Decided && r.About == journal.Stop && r.Unit.IsZero():
		p.stop(p.root, stopOf(r))
		return nil
	}
	return p.takeUnit(r)
}

// takeUnit applies a record of a unit.
func (p *Plan) takeUnit(r *journal.Record) error {
	j, attempt, err := p.find(r.Unit)
	if err != nil {
		return err
	}
	take, known := takers[r.Kind]
	if !known {
		return fmt.Errorf("records of the kind %q are of no unit", r.Kind)
	}
	ofAttempt := r.Kind != journal.Ended && (r.Kind != journal.Decided || r.About == journal.Until || r.About == journal.Rested || r.About == journal.Inner)
	switch {
	case ofAttempt && attempt != j.attempt:
		return fmt.Errorf("it is not of attempt %d, which is the last", j.attempt)
	case !ofAttempt && attempt != 0:
		return errors.New("it is of an attempt, and not of the unit")
	}
	if err := take(p, j, r); err != nil {
		return err
	}
	p.park(j)
	return nil
}

// takers apply the records of units, by their kind.
var takers = map[journal.Kind]func(*Plan, *job, *journal.Record) error{
	journal.Decided: (*Plan).decided, journal.Began: (*Plan).began, journal.Again: (*Plan).again, journal.Ended: (*Plan).ended,
	journal.Said: (*Plan).told, journal.Called: (*Plan).told, journal.Answer: (*Plan).told,
	journal.Asked: (*Plan).asked, journal.Answered: (*Plan).answered,
}

// begin begins the run, or starts it over if its files have changed.
func (p *Plan) begin(r *journal.Record) error {
	if r.Parallel < 1 {
		return errors.New("nothing may work at once")
	}
	*p = Plan{workflow: p.workflow, options: p.options, slots: r.Parallel, changed: r.Changed}
	p.root = &job{base: r.Base}
	p.open(p.root, p.workflow.Steps)
	return nil
}

// end ends the run.
func (p *Plan) end(r *journal.Record) error {
	switch {
	case p.root.state != finishing && !p.Waiting():
		return errors.New("there is more to do")
	case r.Status == journal.Waiting && !p.Waiting():
		return errors.New("nothing waits for a person")
	case r.Status == journal.Succeeded && (p.Waiting() || p.root.inner.broken):
		return errors.New("it did not succeed")
	}
	p.over, p.status = true, r.Status
	return nil
}

// Waiting reports whether everything that is left waits for a person.
func (p *Plan) Waiting() bool {
	return p.root != nil && !p.over && p.asking > 0 && p.working == 0 && p.agenda.Len() == 0
}
