package history

import (
	"slices"

	"github.com/a-seed-11b9befa/flow/runner/journal"
)

// Waits are the questions that a run waits for, in the order in which they were asked.
type Waits []Wait

// A Wait is the question of a step, or the question whether a call may run.
type Wait struct {
	Unit journal.Address // the attempt
	Call string          // "": the question of a step
	At   int64           // the offset of the record that asked
}

// Of returns those of an attempt.
func (w Waits) Of(attempt journal.Address) (all Waits) {
	for _, is := range w {
		if is.Unit == attempt {
			all = append(all, is)
		}
	}
	return all
}

// Take applies the next record.
func (w *Waits) Take(r *journal.Record) {
	gone := func(Wait) bool { return false }
	switch r.Kind {
	case journal.Asked:
		*w = append(*w, Wait{r.Unit, r.Call, r.At})
		return
	case journal.Answered:
		gone = func(is Wait) bool { return is.Unit == r.Unit && is.Call == r.Call }
	case journal.Began:
		gone = func(is Wait) bool {
			return r.Unit.Attempt() > 1 && r.Unit.WithAttempt(0).Contains(is.Unit) && !r.Unit.Contains(is.Unit)
		}
	case journal.Ended, journal.Again:
		gone = func(is Wait) bool { return r.Unit.WithAttempt(0).Contains(is.Unit) }
	case journal.Resumed:
		gone = func(is Wait) bool {
			return r.Changed || slices.ContainsFunc(r.From, func(u journal.Address) bool { return u.Contains(is.Unit) })
		}
	}
	if len(*w) > 0 {
		*w = slices.DeleteFunc(*w, gone)
	}
}
