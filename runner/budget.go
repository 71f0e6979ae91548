package runner

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/runner/history"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A budget bounds what a workflow, or what is inside a step, may use in a run. What is spent is the sum of the
// records; what requests in flight may use is reserved, so that they can't overshoot together. Time bounds
// steps that work, and not the lists around them.
type budget struct {
	outer  *budget      // nil: there is none
	limit  tools.Amount // a zero field sets none
	of     string       // the unit that uses the workflow, with its attempt, or that has the budget; "" at the top
	step   string       // the path of the step that has it; "" of a workflow
	stops  bool         // it is what the limits of a step leave for its calls
	tidies bool         // it is that of a step with always(): what the budgets around it end goes on inside

	until    time.Time    // when its time is up, or that of one around it; zero is never
	timeIsUp *steps.Error // once that is so

	record  func(why *steps.Error)      // in the journal, that nothing more begins inside; nil: that it is used up is a failure
	once    sync.Once                   // for that
	why     atomic.Pointer[steps.Error] // nil: something may begin
	closing context.Context             // ends when the time of this one is up, or of one around it, if that is no failure
	close   context.CancelCauseFunc     // ends closing

	room            *sync.Cond        // a request is no longer in flight; its lock guards what follows, of all budgets
	warn            func(text string) // called without the lock
	spent, reserved tools.Amount
	perhaps         tools.Amount // of spent: the most that requests used of which nobody knows, as flow was killed
	inFlight        int          // requests
	overspent       bool         // a warning says so
}

// newBudget returns a budget without limits, for all others to be in.
func newBudget(warn func(text string)) *budget {
	return &budget{closing: context.Background(), room: sync.NewCond(&sync.Mutex{}), warn: warn}
}

// open opens a budget inside this one, of the step with that path or of a workflow.
func (b *budget) open(given workflows.Budget, of, step string) *budget {
	inner := &budget{
		outer: b, limit: tools.Amount{Tokens: given.Tokens, CostUSD: given.CostUSD}, of: of, step: step,
		until: b.until, timeIsUp: b.timeIsUp, closing: b.closing, room: b.room, warn: b.warn,
	}
	until := time.Now().Add(given.Time)
	if given.Time > 0 && !given.GoesOn && (b.until.IsZero() || until.Before(b.until)) {
		inner.until, inner.timeIsUp = until, inner.timeUsedUp(given.Time)
	}
	return inner
}

// forStep returns the budget of a step inside, which may tidy up after others if it looks at their status:
// with failure() after the time is up, with always() whatever has ended.
func (b *budget) forStep(step *workflows.Step) *budget {
	if !step.If.UsesStatus() {
		return b
	}
	b = b.open(workflows.Budget{}, "", "")
	b.until = time.Time{}
	if step.If.UsesAlways() {
		b.tidies, b.closing = true, context.Background()
	}
	return b
}

// goesOn reports whether it is no failure that the budget is used up: what is inside ends. Nothing more
// begins there, and agents that work get a last turn.
func (b *budget) goesOn() bool { return b.record != nil }

// goOn makes the budget one that goes on, until its time is up; 0 is never. Nothing is recorded once it is
// released.
func (b *budget) goOn(limit time.Duration, record func(why *steps.Error)) (release func()) {
	b.record = record
	b.closing, b.close = context.WithCancelCause(b.closing)
	stop := func() bool { return true }
	if limit > 0 {
		stop = time.AfterFunc(limit, func() {
			if why := b.end(b.timeUsedUp(limit)); why != nil {
				b.close(why)
			}
		}).Stop
	}
	return func() {
		stop()
		b.once.Do(func() {})
		b.close(nil)
	}
}

// end ends what is inside a budget that goes on, and returns why: as who called it first said.
func (b *budget) end(why *steps.Error) *steps.Error {
	b.once.Do(func() {
		b.record(why)
		b.why.Store(why)
	})
	return b.why.Load()
}

// ended returns why nothing more begins inside, by the outermost that has ended; nil if something may.
func (b *budget) ended() (why *steps.Error) {
	for ; b != nil && !b.tidies; b = b.outer {
		if its := b.why.Load(); its != nil {
			why = its
		}
	}
	return why
}

// hasEnded reports whether an error is that this budget, or one around it, has ended what is inside.
func (b *budget) hasEnded(err *steps.Error) bool {
	for ; b != nil && !b.tidies && err != nil && err.Continues; b = b.outer {
		if b.of == err.BudgetOf {
			return true
		}
	}
	return false
}

// timeUsedUp returns the error for time that is used up.
func (b *budget) timeUsedUp(limit time.Duration) *steps.Error {
	return &steps.Error{
		Kind: steps.KindBudget, Message: fmt.Sprintf("%s (%v) is used up", b.name("time budget"), limit), Hint: b.raise("time"),
		BudgetOf: b.of, Continues: b.goesOn(),
	}
}

// name is what people call the budget.
func (b *budget) name(kind string) string {
	switch {
	case b.stops:
		return "what the step leaves for its calls"
	case b.step == "":
		return "the run's " + kind
	}
	return fmt.Sprintf("the %s of %q", kind, b.step)
}

// raise returns the hint to raise a limit of the budget.
func (b *budget) raise(key string) string {
	switch {
	case b.stops:
		return "raise stop.max_" + key
	case b.step == "":
		return "raise budget." + key + " in the workflow"
	}
	return fmt.Sprintf("raise budget.%s of step %q", key, b.step)
}

// runBudget opens the budget of the run, of which earlier processes have spent something.
func (e *exec) runBudget() *budget {
	b := newBudget(func(text string) { e.tell(Event{Event: warning(text)}) }).open(e.top.mayUse(), "", "")
	b.count(e.records.Top.Spent(), e.records.Top.InFlight)
	return b
}

// openBudget opens the step's budget for what is inside, and returns what closes it. If the unit had begun
// before, what it has spent since then counts, and that an earlier process recorded that it is used up.
func (u *unit) openBudget(begun bool) (release func()) {
	given := u.step.Budget
	if u.isElement || given == (workflows.Budget{}) {
		return func() {}
	}
	b := u.budget.open(given, u.address().String(), u.path)
	u.budget = b
	if begun {
		b.spent = u.earlier.Spent().Minus(u.earlier.SpentAnew)
	}
	if !given.GoesOn {
		return func() {}
	}
	if begun && u.isUsedUp(u.earlier) {
		b.once.Do(func() { b.why.Store(u.recordedWhy()) })
	}
	return b.goOn(given.Time, func(why *steps.Error) {
		u.append(&entry{record: journal.Record{Kind: journal.Decided, About: journal.Budget, Unit: u.address()}, data: why})
	})
}

// recordedWhy returns why the unit's budget is used up, as an earlier process recorded it.
func (u *unit) recordedWhy() *steps.Error {
	why := &steps.Error{}
	data, err := u.store.dataAt(u.earlier.UsedUp.At)
	if err == nil {
		err = jsonline.Decode(data, why)
	}
	if err != nil {
		u.breaks(err)
	}
	return why
}

// isUsedUp reports whether an earlier process recorded that the unit's budget is used up, and nothing
// since then lets more begin.
func (e *exec) isUsedUp(u *history.Unit) bool { return e.stands(u.UsedUp, e.records.Reached) }

// isEndedByBudget reports whether a budget of the unit, or around it, ended it and would do so again.
func (e *exec) isEndedByBudget(u *history.Unit) bool {
	if u.Status != steps.Stopped || u.ErrorKind != steps.KindBudget || !u.Forgiven || u.Fatal {
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
	if why := u.budget.ended(); why != nil {
		return why
	}
	return nil
}

// mayUse returns what the workflow may use. That of the options takes the place of the top one's cost.
func (in *instance) mayUse() workflows.Budget {
	b := in.Budget
	if usd := in.exec.BudgetUSD; in.caller == nil && usd != nil {
		b.CostUSD = max(*usd, math.SmallestNonzeroFloat64) // 0 would be no limit
	}
	return b
}

// limitsCost reports whether this workflow, a step of it, or one around it, bounds the cost.
func (in *instance) limitsCost() bool {
	if in.Budget.CostUSD > 0 || in.StepsLimitCost {
		return true
	}
	if in.caller == nil {
		return in.exec.BudgetUSD != nil
	}
	return in.caller.limitsCost()
}
