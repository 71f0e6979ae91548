package runner

import (
	"slices"

	"github.com/a-seed-11b9befa/flow/runner/history"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A standing is what becomes of a unit in a resumed run.
type standing int

const (
	begins      standing = iota // it has not begun, or begins with another attempt
	continues                   // its last attempt goes on: a conversation where it was, the steps inside, or a command once more
	retries                     // its last attempt failed, and the next one has not begun
	counts                      // it has ended, and its result counts
	compares                    // its result counts if its work is still the same
	mayNotBegin                 // it may begin only once, and was in flight
)

// takeUp returns what becomes of the unit, and sets the number of the attempt with which it begins or
// continues in this process.
func (u *unit) takeUp() standing {
	e := u.earlier
	s, stale := u.standing(e, u.works(), u.on)
	if stale {
		u.noteOnce(u.address())
	}
	if u.number = e.Attempt; s == begins || s == compares {
		u.number++
	}
	return s
}

// standing returns what becomes of a unit that works, or of one with steps inside. A recorded
// result counts if the unit began after everything that it depends on was done. stale says that
// it counts although it did not, since it may begin only once.
func (e *exec) standing(u *history.Unit, works bool, on frontier) (s standing, stale bool) {
	if u.BeganSeq == 0 || u.Status == steps.Skipped && u.Ended != 0 {
		return begins, false
	}
	old := u.BeganSeq < e.records.Changed
	before := on.decided
	if old {
		before = on.worked
	}
	stale = before > u.BeganSeq
	switch {
	case stale && !u.Once:
		return begins, false
	case u.Retried != 0:
		return retries, stale
	case works:
		return e.standingOfWork(u, old), stale
	case u.Ended != 0 && !old && e.countsAsEnded(u) && !e.isReached(u):
		return counts, stale
	case !u.Begun:
		return begins, stale
	}
	return continues, stale
}

// standingOfWork is standing for a unit that works, and has begun.
func (e *exec) standingOfWork(u *history.Unit, old bool) standing {
	succeeded := u.Status == steps.Succeeded
	switch {
	case u.Ended == 0 && !u.Begun:
		return begins
	case u.Once && old:
		return compares
	case u.Once && u.Ended != 0 && u.Begun:
		return counts
	case u.Once && u.Begun && !u.Waits:
		return mayNotBegin
	case old && u.Ended != 0 && succeeded:
		return compares
	case old:
		return begins
	case u.Ended == 0:
		return continues
	case e.countsAsEnded(u):
		return counts
	case u.Begun && canContinue(u.Status, u.ErrorKind):
		return continues
	case u.CalledOnce: // it would start over
		return counts
	}
	return begins
}

// countsAsEnded reports whether the result of a unit that has ended counts, if nothing that it
// depends on is newer: it succeeded, or a budget that goes on has ended it, or it failed in a run that did
// not end as failed since.
func (e *exec) countsAsEnded(u *history.Unit) bool {
	switch u.Status {
	case steps.Succeeded:
		return true
	case steps.Failed, steps.Stopped:
		if e.isEndedByBudget(u) {
			return true
		}
		return u.EndSeq > e.records.Retried && !u.Fatal && !slices.Contains(runsOwn, u.ErrorKind)
	}
	return false
}

// runsOwn are the kinds of failures that are not a step's own. They never count in a resumed run.
var runsOwn = []steps.Kind{steps.KindBudget, steps.KindAuth, steps.KindConfiguration, steps.KindRateLimited}

// canContinue reports whether an attempt that ended so goes on where it was: it was cancelled, or
// stopped by a limit or a budget. After any other failure it starts over.
func canContinue(status steps.Status, kind steps.Kind) bool {
	return status == steps.Cancelled || status == steps.Stopped || kind == steps.KindBudget || kind == steps.KindLimit
}

// isReached reports whether something that failed in a unit that succeeded runs again.
func (e *exec) isReached(u *history.Unit) bool {
	if u.EndSeq > e.records.Reached {
		return false
	}
	for inner := range u.All(true) {
		if inner.Ended != 0 && !inner.Once && inner.Status != steps.Succeeded && inner.Status != steps.Skipped {
			return true
		}
	}
	return false
}

// recall returns the result of a step that has one which counts; nil if it has to run, or if
// something inside it has.
func (u *unit) recall() *StepResult {
	e := u.earlier
	if e.Ended == 0 {
		return nil
	}
	if u.step.Foreach != nil {
		if !e.HasElements() || !u.stands(e.List, u.on.decided) || !u.countsAsEnded(e) || u.isReached(e) {
			return nil
		}
		return u.recalled()
	}
	s, stale := u.standing(e, u.step.Works(), u.on)
	if s != counts {
		return nil
	}
	if stale {
		u.noteOnce(u.address())
	}
	return u.recalled()
}

// recalled reads the recorded result back.
func (u *unit) recalled() *StepResult {
	r, err := u.store.result(u.earlier)
	if err != nil {
		u.breaks(err)
		return u.resultOf(failed(err))
	}
	r.id = u.step.ID
	if err := r.setBlamed(u.step); err != nil {
		u.breaks(err)
	}
	u.dry.keepAll(r)
	if e := u.earlier; e.Hides || e.Foreach != nil && e.Hide() {
		u.note(u.address(), "its result is kept, with *** in place of secrets")
	}
	return r
}

// onceUnknown returns the error of a step that may begin only once and was in flight.
func onceUnknown(step *workflows.Step) error {
	kind := steps.KindTool
	if step.Command != nil {
		kind = steps.KindCommand
	}
	return &steps.Error{
		Kind: kind, Message: "it was running when flow ended, and may have taken effect; a step with once: true is not run again", Option: OptionOnce,
	}
}

// onceBegan returns the error of a step that may begin only once, has begun, and has other work now.
func onceBegan() error {
	return &steps.Error{
		Kind: steps.KindTool, Message: "it had started before the files changed; a step with once: true is not run again", Option: OptionOnce,
	}
}

// onceListed returns the error of a foreach whose list is made anew, and of which elements have begun
// that may begin only once.
func onceListed(step *workflows.Step) error {
	err := onceUnknown(step).(*steps.Error)
	err.Option = OptionFrom
	err.Message = "a step that it depends on ran again, and elements of it had started; it has once: true, and which of its elements may run is not known"
	return err
}
