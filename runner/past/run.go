// Package past says what the records of a run tell of it afterwards, or while it goes on
// elsewhere: which units there were, where each stands, and where in the journal that is
// said. It is a fold of the records' heads: no clock, no I/O. Their data is read by whoever
// wants to know more of a unit.
//
//	var run past.Run
//	for r, err := range reader.Records() {
//		run.Take(&r)
//	}
//
// Of a group the last round counts, and of a unit its last attempt, as in results.
package past

import (
	"time"

	"github.com/a-seed-11b9befa/flow/runner/record"
)

// A Run is a run as its records have it. The zero Run has taken none.
type Run struct {
	Began, Last time.Time      // the first record, and the last
	Worked      time.Duration  // between them, without the time between processes
	Process     int            // that works in it, or did last; the first one is 0
	Start       record.Record  // that says what the run is: of the kind run, or resumed with Changed
	End         *record.Record // nil: the run goes on, or was cut off
	Waits       Waits          // for a person
	Top         Unit           // the run itself

	// Whole keeps what is inside of elements, and has succeeded, too. It is otherwise only
	// known where the records of that are.
	Whole bool

	pauses []pause
}

// A pause is the time between two processes.
type pause struct{ began, ended time.Time }

// Between is how long the run has worked from one time to another.
func (p *Run) Between(from, to time.Time) time.Duration {
	took := to.Sub(from)
	for _, pause := range p.pauses {
		if !pause.began.Before(from) && !pause.ended.After(to) {
			took -= pause.ended.Sub(pause.began)
		}
	}
	return took
}

// Take takes the next record. It returns the unit that the record is of; nil for one of
// the run, and for warnings.
func (p *Run) Take(r *record.Record) *Unit {
	if r.Kind != record.Run && r.Kind != record.Resumed {
		p.Worked += r.Time.Sub(p.Last)
	}
	if r.Kind == record.Resumed {
		p.pauses = append(p.pauses, pause{p.Last, r.Time})
	}
	p.Last = r.Time
	p.Waits.Take(r)
	switch r.Kind {
	case record.Run:
		p.Began, p.Start = r.Time, *r
	case record.Resumed:
		p.Process++
		p.End = nil
		if r.Changed {
			p.Start, p.Top = *r, Unit{Counts: p.Top.Counts}
		}
		for _, u := range r.From {
			p.Top.forget(u.WithAttempt(0))
		}
	case record.End:
		end := *r
		p.End = &end
	case record.Warned:
	default:
		if !r.Unit.IsZero() {
			return p.takeUnit(r)
		}
	}
	return nil
}

func (p *Run) takeUnit(r *record.Record) *Unit {
	u := p.Top.find(r.Unit)
	u.Process = p.Process
	for at := u.Around; at != nil; at = at.Around {
		at.ends(0)
		if at.Process = p.Process; at.element != nil && (IsEnd(r) || r.About == record.Elements) {
			at.element.Inner = append(at.element.Inner, r.At)
		}
	}
	u.take(r)
	if !p.Whole {
		u.settle()
	}
	return u
}

// IsEnd reports whether a record says what its unit came to.
func IsEnd(r *record.Record) bool { return r.Kind == record.Ended || r.About == record.Keep }
