package runner

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/runner/history"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// An ender ends what is inside a step once its budget, which has on_limit: continue, is used up. Nothing
// more begins there, and agents that work get a last turn. A nil ender ends nothing.
type ender struct {
	of     string // the unit that has the budget
	around *ender
	record func(why *steps.Error) // in the journal, before anything depends on it

	once   sync.Once
	why    atomic.Pointer[steps.Error] // nil: something may begin
	timeUp context.Context             // ends when the time of this budget, or of one around it, is up
	cut    context.CancelCauseFunc     // ends timeUp
}

// end ends what is inside, and returns why: as who called it first said.
func (e *ender) end(why *steps.Error) *steps.Error {
	e.once.Do(func() {
		e.record(why)
		e.why.Store(why)
	})
	return e.why.Load()
}

// ended returns why nothing more begins inside, by the outermost that has ended; nil if something may.
func (e *ender) ended() (why *steps.Error) {
	for ; e != nil; e = e.around {
		if its := e.why.Load(); its != nil {
			why = its
		}
	}
	return why
}

// hasEnded reports whether an error is that of this ender, or of one around it.
func (e *ender) hasEnded(err *steps.Error) bool {
	for ; e != nil && err != nil && err.Continues; e = e.around {
		if e.of == err.BudgetOf {
			return true
		}
	}
	return false
}

// openBudget opens the account of the step's budget for what is inside, and returns what closes it. If
// the unit had begun before, what it has spent since then counts.
func (u *unit) openBudget(begun bool) (release func()) {
	budget, around, of := u.step.Budget, u.account, u.address().String()
	if u.isElement || budget == (workflows.Budget{}) {
		return func() {}
	}
	a := u.budgets.open(budget, of, around)
	u.account = a
	if a != around {
		a.step = u.path
	}
	if e := u.earlier; begun && a != around {
		a.spent = e.Spent().Minus(e.SpentAnew)
	}
	timeIsUp := timeUsedUp(budget.Time, of, u.path)
	if !budget.GoesOn {
		u.timeLeft = u.timeLeft.within(budget.Time, timeIsUp)
		return func() {}
	}
	timeIsUp.Continues = true
	a.ender = u.newEnder(of, begun)
	u.ender = a.ender
	return a.ender.after(budget.Time, timeIsUp)
}

// newEnder returns the ender of the unit, which has ended if an earlier process recorded that.
func (u *unit) newEnder(of string, begun bool) *ender {
	e := &ender{of: of, around: u.ender, timeUp: u.base, record: func(why *steps.Error) {
		u.append(&entry{record: journal.Record{Kind: journal.Decided, About: journal.Budget, Unit: u.address()}, data: why})
	}}
	if e.around != nil {
		e.timeUp = e.around.timeUp
	}
	e.timeUp, e.cut = context.WithCancelCause(e.timeUp)
	if !begun || !u.isUsedUp(u.earlier) {
		return e
	}
	why := &steps.Error{}
	data, err := u.store.dataAt(u.earlier.UsedUp.At)
	if err == nil {
		err = jsonline.Decode(data, why)
	}
	if err != nil {
		u.breaks(err)
	}
	e.once.Do(func() { e.why.Store(why) })
	return e
}

// after ends what is inside after a time; 0 is never. Nothing is recorded once it is released.
func (e *ender) after(limit time.Duration, timeIsUp *steps.Error) (release func()) {
	stop := func() bool { return true }
	if limit > 0 {
		stop = time.AfterFunc(limit, func() {
			if why := e.end(timeIsUp); why != nil {
				e.cut(why)
			}
		}).Stop
	}
	return func() {
		stop()
		e.once.Do(func() {})
		e.cut(nil)
	}
}

// isUsedUp reports whether an earlier process recorded that the unit's budget is used up, and nothing
// since then lets more begin.
func (e *exec) isUsedUp(u *history.Unit) bool { return e.stands(u.UsedUp, e.records.reached) }

// isEndedByBudget reports whether an ender of the unit, or around it, ended it and would do so again.
func (e *exec) isEndedByBudget(u *history.Unit) bool {
	if u.Status != journal.Stopped || u.ErrorKind != string(steps.KindBudget) || !u.Forgiven || u.Fatal {
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	at := u
	for at != nil && !e.isUsedUp(at) {
		at = at.Around
	}
	return at != nil
}

// barred returns why the unit may not begin: it has to end, or nothing more begins around it.
func (u *unit) barred() error {
	if cause := u.stop(); cause != nil {
		return cause
	}
	if why := u.ender.ended(); why != nil {
		return why
	}
	return nil
}
