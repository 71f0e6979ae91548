// Package history knows what the records of a run say about it, afterwards or while it goes on: which
// units there were, the state of each, and where in the journal its records are. It is a fold
// over the heads of the records, without clock or I/O. Whoever wants to know more about a unit
// reads the data of its records.
//
//	var run history.Run
//	for r, err := range reader.Records() {
//		run.Take(&r)
//	}
//
// As in results, the last round of a group counts, and the last attempt of a unit.
package history

import (
	"slices"
	"time"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
)

// A Run is a run according to its records. The zero Run has taken none. It is not safe for
// concurrent use.
type Run struct {
	Began, Last time.Time       // the first record, and the last
	Worked      time.Duration   // between them, without the time between processes
	Process     int             // the number, from 0, of the process that worked in it last
	Start       journal.Record  // the run's description: of kind run, or resumed with Changed
	End         *journal.Record // nil: the run has not ended, or was cut off
	Waits       Waits           // what it waits for from a person
	Top         Unit            // the run itself

	// Whole also keeps units inside elements that succeeded. Without it only the offsets of
	// their records are kept.
	Whole bool

	// Resumes is for a process that resumes the run: what was done before the files changed stays.
	Resumes bool
	Retain  []journal.Address // what is inside these, and around them, is kept like Whole

	Hidden func(*journal.Record) bool // reports whether a secret is hidden in the data of a record; nil: none is

	// What of the records counts in a run that is resumed. Numbers are those of records; 0 is none.
	Changed    int64 // the last one since which the run's files are as they are
	OnlyFailed bool  // what had succeeded before that is kept, whatever its work was
	Retried    int64 // failures of units that ended before that record don't count
	Reached    int64 // nor do failures inside units that succeeded, and ended before that one

	pauses []pause
}

// A pause is the time between two processes.
type pause struct{ began, ended time.Time }

// Between returns how long processes worked in the run from one time to another.
func (p *Run) Between(from, to time.Time) time.Duration {
	took := to.Sub(from)
	for _, pause := range p.pauses {
		if !pause.began.Before(from) && !pause.ended.After(to) {
			took -= pause.ended.Sub(pause.began)
		}
	}
	return took
}

// Paused returns how long no process worked in the run before the last one.
func (p *Run) Paused() time.Duration {
	if len(p.pauses) == 0 {
		return 0
	}
	last := p.pauses[len(p.pauses)-1]
	return last.ended.Sub(last.began)
}

// Take applies the next record. It returns the unit of the record; nil for a record of the
// run, and for a warning.
func (p *Run) Take(r *journal.Record) *Unit {
	if r.Kind != journal.Run && r.Kind != journal.Resumed {
		p.Worked += r.Time.Sub(p.Last)
	}
	if r.Kind == journal.Resumed {
		p.pauses = append(p.pauses, pause{p.Last, r.Time})
	}
	p.Last = r.Time
	p.Waits.Take(r)
	switch r.Kind {
	case journal.Run:
		p.Began, p.Start = r.Time, *r
	case journal.Resumed:
		p.Process++
		p.Mark(r)
		p.End = nil
		if r.Changed {
			p.Start = *r
		}
		switch {
		case r.Changed && p.Resumes:
			for u := range p.Top.All(true) {
				u.Inner = nil // no record inside an element is part of its result any more
			}
		case r.Changed:
			p.Top = Unit{Expense: p.Top.Expense}
		}
		for _, u := range r.From {
			p.Top.forget(u.WithAttempt(0))
		}
	case journal.End:
		p.End = new(*r)
	case journal.Warned:
	default:
		if !r.Unit.IsZero() {
			return p.takeUnit(r)
		}
	}
	return nil
}

// Mark sets what counts of the records before one of the kind resumed, which follows.
func (p *Run) Mark(r *journal.Record) {
	if r.Changed {
		p.Changed, p.OnlyFailed = r.Seq, r.Failed
	}
	if r.Failed {
		p.Reached = r.Seq
	}
	if r.Failed || p.End != nil && (p.End.Status == steps.Failed || p.End.Status == steps.Stopped) {
		p.Retried = r.Seq
	}
}

func (p *Run) takeUnit(r *journal.Record) *Unit {
	u := p.Top.find(r.Unit, p.Whole && p.Resumes)
	u.Process = p.Process
	for at := u.Around; at != nil; at = at.Around {
		at.Ended = 0
		if at.Process = p.Process; at.element && (IsEnd(r) || r.About == journal.Elements) {
			at.Inner = append(at.Inner, r.At)
		}
	}
	u.take(r, p)
	if !p.Whole && u.element && !slices.ContainsFunc(p.Retain, func(one journal.Address) bool { return onOneWay(one, u.Unit) }) {
		u.settle()
	}
	return u
}

// IsEnd reports whether a record has the result of its unit.
func IsEnd(r *journal.Record) bool { return r.Kind == journal.Ended || r.About == journal.Keep }
