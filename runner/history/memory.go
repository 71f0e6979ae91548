package history

import (
	"iter"
	"time"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
)

// A Decision is the record of what was decided last of a unit. The zero Decision: it was not decided.
type Decision struct {
	Seq, At int64 // the number of the record, and its offset
	Round   int   // of the condition of a group
	Holds   bool  // of a condition
}

func decisionIn(r *journal.Record) Decision { return Decision{r.Seq, r.At, r.Count, r.Holds} }

// remember applies a record of the unit. The run's files are as they are since the record with the
// number changed.
func (u *Unit) remember(r *journal.Record, changed int64) {
	u.Waits = r.Kind == journal.Asked || r.Kind == journal.Answered
	switch {
	case IsEnd(r):
		u.rememberEnd(r)
	case r.Kind == journal.Again:
		u.rememberFailure(r)
	case r.Kind == journal.Began:
		u.rememberBegin(r, changed)
	case r.About == journal.If:
		u.If = decisionIn(r)
	case r.About == journal.Budget:
		u.UsedUp = decisionIn(r)
	case r.About == journal.Elements:
		u.anew()
	case r.About == journal.Until:
		u.Until = decisionIn(r)
	case r.About == journal.Inner && r.Data == nil:
	case r.Kind == journal.Said, r.Kind == journal.CallEnded, r.Kind == journal.CallStarted, r.Kind == journal.Asked, r.Kind == journal.Answered, r.About == journal.Inner:
		u.Facts, u.latest = append(u.Facts, r.At), r.Time
		switch r.Kind {
		case journal.Answered:
			u.Replied = r.At
		case journal.Asked:
		default:
			u.Replied = 0
		}
	}
}

func (u *Unit) rememberEnd(r *journal.Record) {
	kept := r.About == journal.Keep
	if u.EndSeq, u.ResultSeq = r.Seq, r.Seq; kept {
		u.ResultSeq = int64(r.Count)
	}
	if u.BeganSeq == 0 && u.Foreach == nil || kept {
		u.BeganSeq = r.Seq
	}
	if u.element {
		u.Listed = u.Around.List.At
	}
	u.Tries, u.Retried, u.EndedRound = 0, 0, u.inside.round
	if len(u.Facts) > 0 {
		u.Ends = append(u.Ends, len(u.Facts))
	}
	u.Took, u.since = 0, time.Time{} // a limit of time begins anew
}

// rememberFailure applies that an attempt failed and another one follows.
func (u *Unit) rememberFailure(r *journal.Record) {
	u.drop()
	u.Tries++
	u.Retried, u.RetryAt, u.Backoff = r.At, r.Until, r.Until.Sub(r.Time)
	u.Facts, u.Ends, u.Replied, u.Work, u.Begun = nil, nil, 0, 0, false
	if u.BeganSeq == 0 {
		u.BeganSeq = r.Seq
	}
}

// rememberBegin applies that an attempt begins, or continues. One that had begun before the files
// changed, and has steps inside, begins with what they did, and in the first round.
func (u *Unit) rememberBegin(r *journal.Record, changed int64) {
	n := r.Unit.Attempt()
	if another := n != u.Attempt || u.BeganSeq == 0 || u.Retried != 0; another || u.BeganSeq < changed {
		switch {
		case n != u.Attempt:
			u.drop()
		case u.inside.round > 1:
			u.enter(pass{u.inside.attempt, 1}, true)
		}
		if another {
			u.SpentBefore = u.Spent()
		}
		if another && u.Retried == 0 {
			u.anew()
			u.Tries = 0
		}
		u.Attempt, u.BeganSeq, u.Work, u.Facts, u.Ends, u.Replied = n, r.Seq, 0, nil, nil, 0
		if u.element {
			u.Listed = u.Around.List.At
		}
		u.Turns = 0
		u.Took, u.since, u.latest = 0, time.Time{}, time.Time{}
		u.Until, u.EndedRound = Decision{}, 0
	}
	u.Begun = true
	if u.Retried = 0; r.Data != nil {
		u.Work = r.At
	}
	called := false
	for at := u; r.Once && at != nil; at = at.Around {
		if called = called || at != u && at.Converses(); called {
			at.CalledOnce = true
		} else {
			at.Once = true
		}
	}
	if !u.since.IsZero() {
		u.Took += u.latest.Sub(u.since)
	}
	u.since, u.latest = r.Time, r.Time
}

// IsAnswered reports whether the last that was said in the unit is the answer of a person.
func (u *Unit) IsAnswered() bool { return u.Replied != 0 && u.Replied == u.Facts[len(u.Facts)-1] }

// anew applies that the unit begins anew, with the whole of its budget.
func (u *Unit) anew() { u.SpentAnew, u.UsedUp = u.Spent(), Decision{} }

// drop forgets the steps inside, in all rounds.
func (u *Unit) drop() {
	u.Steps, u.Rounds, u.inside = nil, nil, pass{attempt: -1}
	u.Once, u.CalledOnce = false, false
}

// everyStep iterates over the steps directly inside the unit, in its round and in those before it that are
// known.
func (u *Unit) everyStep() iter.Seq[*Unit] {
	return func(yield func(*Unit) bool) {
		for _, step := range u.Steps {
			if !yield(step) {
				return
			}
		}
		for n, round := range u.Rounds {
			if n > u.inside.round { // of before the files changed
				continue
			}
			for _, step := range round {
				if !yield(step) {
					return
				}
			}
		}
	}
}

// Done returns the number of the last record with a result, a decision or a list in the unit, and of
// the last with the result of something that worked: what depends on the unit has to be later.
func (u *Unit) Done() (end, worked int64) {
	switch {
	case u.Status == steps.Skipped:
		return u.If.Seq, 0
	case u.Steps == nil && u.Foreach == nil || u.Converses():
		return max(u.BeganSeq, u.EndSeq), u.ResultSeq
	}
	end = u.BeganSeq
	include := func(e, w int64) { end, worked = max(end, e), max(worked, w) }
	for step := range u.everyStep() {
		include(step.Done())
	}
	if u.Foreach == nil {
		return end, worked
	}
	include(u.List.Seq, 0)
	include(u.doneOf())
	return end, worked
}
