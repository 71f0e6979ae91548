package runner

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/runner/past"
	"github.com/a-seed-11b9befa/flow/runner/plan"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/sourcegraph/conc/pool"
)

// An engine drives one run in this process. It does what the plan says is due, appends a
// record of each outcome, lets the plan take the record, and emits events. The state of the
// run is in the plan and in the nodes alone, both of which are folds over the records.
type engine struct {
	*run
	top     *instance
	live    bool // the records of earlier processes are folded
	workers *pool.Pool

	telling   sync.Mutex // held while events are emitted, never inside mu
	mu        sync.Mutex // held while a record is appended, taken and folded
	plan      *plan.Plan
	seq       int64 // of the last record
	root      *node
	accounts  *accounts  // of the budgets
	untold    []untold   // events that are not emitted yet, in the order of the records
	waits     past.Waits // what the run waits for from a person
	given     int        // answers from the options, with which this process began
	broken    error      // a bug, after which nothing can continue
	unwritten error      // why a record could not be written; no other is written after it
	result    *Result    // of the run, once it has ended

	old  *oldWork       // what was done before the files changed; nil: they have not changed
	anew []journal.Unit // units of it that are not kept

	onlyFailed bool // all of it that succeeded is kept, whatever its work was

	dry *dryRun // nil: the engine works

	noting sync.Mutex // of notes, also inside mu
	notes  []note     // warnings that are emitted before the next event

	doing map[journal.Unit]*activity // by the unit without its attempt; for the driver alone
	done  chan *activity
	late  chan *node    // units whose time is up
	over  chan struct{} // closed when the driver has ended
}

// An activity is a task in progress. A unit has one at a time.
type activity struct {
	task   plan.Task
	node   *node
	site   *site // nil for the run
	ctx    context.Context
	cancel context.CancelCauseFunc
	ends   bool // it is cancelled
	asks   bool // it asks a person, which is no task of the plan
}

func newEngine(r *run, top *instance) *engine {
	e := &engine{
		run: r, top: top, plan: plan.New(top.Workflow, plan.Options{}), root: &node{attempt: 1},
		accounts: newAccounts(func(text string) { r.emit(&Event{Event: warning(text)}) }), doing: map[journal.Unit]*activity{}, done: make(chan *activity), late: make(chan *node), over: make(chan struct{}),
	}
	e.root.budget = e.accounts.open(r.budget(top.Workflow), "", nil)
	r.engine = e
	return e
}

// drive does what is due until the run has ended, and returns the result. When ctx ends,
// the run is stopped with the context's cause.
func (e *engine) drive(ctx context.Context) *Result {
	e.workers = pool.New()
	defer e.workers.Wait()
	defer close(e.over)
	interrupted := ctx.Done()
	var grace <-chan time.Time
	e.tellOpen(e.root)
	e.askAgain()
	for {
		select { // before anything else begins
		case <-interrupted:
			interrupted, grace = nil, e.interrupt(context.Cause(ctx))
		default:
		}
		e.startDue()
		if len(e.doing) == 0 {
			e.leave()
			return e.finished()
		}
		select {
		case a := <-e.done:
			delete(e.doing, a.task.Unit.WithAttempt(0))
		case n := <-e.late:
			e.timeout(n)
		case <-interrupted:
			interrupted, grace = nil, e.interrupt(context.Cause(ctx))
		case <-grace:
			e.stop(e.root, fmt.Errorf("timed out: steps with always() have %v after an interrupt", e.Grace), false)
		}
	}
}

// finished returns the result, once nothing is in progress or due.
func (e *engine) finished() *Result {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.result == nil {
		err := e.broken
		if err == nil {
			err = fmt.Errorf("internal error: no step can run, and the run has not ended: %v", e.plan.Due())
		}
		now := time.Now().UTC()
		e.result = &Result{Version: 1, RunID: e.ID, Workflow: e.top.ref(), Status: steps.Failed, Started: e.run.began.UTC(), Finished: now, Inputs: e.top.inputs, Steps: StepResults{}}
		e.result.Error = &Failure{Error: steps.Error{Kind: steps.KindInternal, Message: err.Error(), Hint: "please report this, with the workflow", Err: err}}
		var damaged *journal.Error
		if errors.As(err, &damaged) {
			e.result.Error.Hint, e.result.Error.Option = "", OptionFrom
		}
	}
	return e.result
}

// startDue starts tasks that are due and not in progress, and cancels those in progress that
// are no longer due.
func (e *engine) startDue() {
	for moved := true; moved; {
		moved = false
		e.mu.Lock()
		due := e.plan.Due()
		if e.broken != nil {
			due = nil
			for _, a := range e.doing {
				a.end(e.broken)
			}
		}
		e.mu.Unlock()
		for _, task := range due {
			a := e.doing[task.Unit.WithAttempt(0)]
			switch {
			case a == nil && task.Do != plan.Cancel:
				if moved && !e.stands(task) {
					continue
				}
				moved = e.start(task) || moved
			case a != nil && a.task != task:
				a.end(e.causeOf(a.node, task.Stopped))
			}
		}
	}
}

func (e *engine) stands(task plan.Task) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.plan.Stands(task)
}

func (a *activity) end(cause error) {
	if !a.ends {
		a.ends = true
		a.cancel(cause)
	}
}

// start starts a task. It reports whether the task is already done, so that others may have
// become due.
func (e *engine) start(task plan.Task) (moved bool) {
	a := &activity{task: task}
	var err error
	if a.node, a.site, err = e.find(task.Unit); err != nil {
		e.lost("journal", err)
		e.bug(err)
		return false
	}
	do := e.conclude
	switch task.Do {
	case plan.Close:
		e.close(a)
		return true
	case plan.Begin, plan.GoOn:
		if do = e.work; !a.node.works() {
			do = e.open
		}
		if e.old == nil || !a.node.works() { // otherwise its earlier result may be kept
			e.tellStart(a.node, a.site)
		}
	case plan.Decide:
		do = e.decide
	case plan.Rest:
		do = e.rest
	}
	base := e.base
	if e.dry != nil {
		base, do = e.dry.contextOf(a), e.dry.inPlaceOf(do)
	}
	a.ctx, a.cancel = context.WithCancelCause(base)
	e.doing[task.Unit.WithAttempt(0)] = a
	e.goDo(a, do)
	return false
}

func (e *engine) goDo(a *activity, do func(*activity)) {
	e.workers.Go(func() {
		defer func() {
			a.cancel(nil)
			e.done <- a
		}()
		do(a)
	})
}

// bug ends the run because of a bug. e.mu is not held.
func (e *engine) bug(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.broken == nil {
		e.broken = err
	}
}

// interrupt stops the run because its context has ended. If that came from outside, steps
// with always() have [Options.Grace]; the channel that it returns says when that is over.
func (e *engine) interrupt(cause error) <-chan time.Time {
	e.hangUp(cause)
	tidies := e.Grace > 0 && steps.CauseError(cause).Kind == steps.KindCancelled
	e.stop(e.root, cause, tidies)
	if !tidies {
		return nil
	}
	return time.After(e.Grace)
}

// timeout ends a unit whose time is up, unless it waits for a person by now.
func (e *engine) timeout(n *node) {
	e.mu.Lock()
	waits := n.timer == nil
	e.mu.Unlock()
	if waits {
		return
	}
	e.stop(n, timeIsUp(n.step.Timeout), false)
}

func timeIsUp(after time.Duration) error {
	return &steps.Error{Kind: steps.KindTimeout, Message: fmt.Sprintf("timeout after %v", after), Hint: "raise timeout: of the step"}
}

// bound returns the context of an activity, limited to the time that its unit and its
// workflow have left.
func (a *activity) bound() (context.Context, context.CancelFunc) {
	ctx, cancel := a.site.timeLeft.bound(a.ctx)
	if a.node.deadline.IsZero() {
		return ctx, cancel
	}
	inner, cancelInner := context.WithDeadlineCause(ctx, a.node.deadline, timeIsUp(a.node.step.Timeout))
	return inner, func() { cancelInner(); cancel() }
}

// causeOf returns why a unit has to end.
func (e *engine) causeOf(n *node, by plan.Stop) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if by == plan.BySibling {
		return n.siblings()
	}
	for ; n != nil; n = n.parent {
		if n.cause != nil {
			return n.cause
		}
	}
	return errNoMore
}

// siblings returns why a unit has to end because of a failure beside it, or beside a unit
// around it. e.mu is held.
func (n *node) siblings() error {
	for ; n.parent != nil; n = n.parent {
		if n.parent.elements != nil {
			if n.parent.elements.failed {
				return n.parent.elements.cause()
			}
			continue
		}
		for beside := range n.parent.within() {
			if beside.reason == steps.KindBudget {
				return errUsedUp
			}
		}
	}
	return errSibling
}

// cause returns why elements have to end, or don't begin, once one has failed.
func (f *fan) cause() error {
	for _, reason := range f.reasons {
		if reason == steps.KindBudget {
			return errUsedUp
		}
	}
	return errSibling
}

// The causes that end units beside one that failed.
var (
	errSibling = &steps.Error{Kind: steps.KindCancelled, Message: "cancelled: another step failed"}
	errUsedUp  = &steps.Error{Kind: steps.KindCancelled, Message: "cancelled: the budget is used up"}
)

// errNoMore ends a task that is no longer due. It is never reported.
var errNoMore = errors.New("it is no longer due")

// setTimer starts the timeout of a unit that begins.
func (e *engine) setTimer(n *node) {
	if n.step == nil || n.step.Timeout <= 0 || n.isFan() || n.timer != nil || n.step.Question != nil || e.dry != nil {
		return
	}
	n.deadline = time.Now().Add(n.step.Timeout)
	n.timer = time.AfterFunc(n.step.Timeout, func() {
		select {
		case e.late <- n:
		case <-e.over:
		}
	})
}
