package runner

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/runner/history"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/sourcegraph/conc/pool"
)

// An exec executes a run in this process. It is ordinary recursive code: lists of steps,
// elements, rounds and attempts are loops. It is durable because each result and each decision
// is recorded under the address of its unit before anything depends on it. A resumed run
// executes the same code, which takes what still counts from what earlier processes recorded.
type exec struct {
	*run
	top     *instance
	replay  replay // what the records say
	workers *pool.Pool
	slots   *slots
	barrier barrier
	budgets *accounts
	account *account // of the run's budget
	store   *store   // reads results back

	interrupted context.Context // ends when the run is interrupted
	over        context.Context // ends when steps with always() have no time left, too

	telling   sync.Mutex // held while events are emitted, never inside mu
	mu        sync.Mutex // held while a record is appended, and while what they say is read
	untold    []Event    // events that are not emitted yet, in the order of the records
	ended     bool       // the end of the run is recorded
	unwritten error      // why a record could not be written; no other is written after it
	broken    error      // a bug, or lost data, after which the run's result can't be made

	dry *dryRun // nil: the exec works

	given   int                             // answers from the options, with which this process began
	replies map[journal.Unit]*journal.Reply // they, by the attempts that asked
}

func newExec(r *run, top *instance) *exec {
	e := &exec{run: r, top: top, slots: newSlots(r.MaxParallel), replay: replay{Run: &history.Run{Resumes: true}}}
	warn := func(text string) { r.emit(&Event{Event: warning(text)}) }
	e.budgets = newAccounts(warn)
	e.account = e.budgets.open(r.budget(top.Workflow), "", nil)
	e.store = newStore(r, stepsOf(top.Steps, "", nil))
	e.store.folder, e.store.mask = r.folder, r.Mask
	r.exec = e
	return e
}

// execute executes the run to its end, and returns the result. When ctx ends, the run is
// stopped with the context's cause.
func (e *exec) execute(ctx context.Context) *Result {
	scope, l := e.walk(ctx)
	return e.conclude(ctx, scope, l)
}

// walk runs the steps of the workflow, and returns their scope and results.
func (e *exec) walk(ctx context.Context) (*scope, *list) {
	var interrupt, end context.CancelCauseFunc
	e.interrupted, interrupt = context.WithCancelCause(e.base)
	e.over, end = context.WithCancelCause(e.base)
	stop := context.AfterFunc(ctx, func() {
		cause := context.Cause(ctx)
		interrupt(cause)
		if e.Grace <= 0 || steps.CauseError(cause).Kind != steps.KindCancelled {
			end(cause)
			return
		}
		time.AfterFunc(e.Grace, func() {
			end(fmt.Errorf("timed out: steps with always() have %v after an interrupt", e.Grace))
		})
	})
	defer stop()
	e.workers = pool.New()
	defer e.workers.Wait()
	e.barrier.enter()
	scope := e.top.scope(e.run)
	scope.account = e.account
	return scope, e.list(bounds{around: e.base, patient: e.base}, scope, &e.replay.Top, frontier{}, e.top.Steps)
}

// An entry is a fact on its way into the journal.
type entry struct {
	fact     journal.Record
	data     any     // of the fact; nil is none
	what     string  // is lost if it can't be written, in the words of an error
	also     func()  // is called along with it; nil is nothing
	events   []Event // follow from it
	prepared bool
	failed   error // why it could not be written
}

// append writes a fact, before anything that depends on it begins. A run that can't write only
// goes on to end: by the time append returns, everything that works in it is cancelled.
func (e *exec) append(p *entry) *journal.Record {
	e.prepare(p)
	e.mu.Lock()
	e.enter(p)
	e.mu.Unlock()
	if p.failed != nil {
		e.lost(cmp.Or(p.what, "journal"), p.failed)
	}
	e.tellAll()
	return &p.fact
}

// prepare does what takes time and needs no lock. It sets the fact's data.
func (e *exec) prepare(p *entry) {
	if p.prepared || p.failed != nil {
		return
	}
	p.prepared = true
	if p.data != nil && p.fact.Data == nil {
		p.fact.Data, p.failed = jsonline.Encode(p.data)
	}
	if p.failed == nil {
		p.failed = e.journal.Prepare(&p.fact)
	}
}

// enter writes a fact, unless preparing it failed. After one that could not be written none is
// written, so that the journal has no gap. e.mu is held.
func (e *exec) enter(p *entry) {
	switch {
	case e.unwritten != nil:
		p.failed = e.unwritten
	case p.failed == nil && e.passFact != nil:
		p.failed = e.passFact(&p.fact)
	}
	if p.failed == nil {
		p.failed = e.journal.Write(&p.fact)
	}
	if e.unwritten = p.failed; p.failed != nil {
		p.fact.At = 0
		p.fact.Time = time.Now().UTC()
	}
	e.takeIn(&p.fact)
	if p.also != nil {
		p.also()
	}
	e.untold = append(e.untold, p.events...)
}

// warned records a warning, unless the run has ended.
func (e *exec) warned(u journal.Unit, w journal.Warning) {
	p := &entry{fact: journal.Record{Kind: journal.Warned, Unit: u}, data: w}
	e.prepare(p)
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.ended {
		e.enter(p) // if it can't be written, neither can anything that matters
	}
}

// isExact reports whether the journal has data as it is.
func (e *exec) isExact(encoded []byte) bool {
	return !bytes.Contains(encoded, []byte(badUTF8)) && bytes.Equal(encoded, e.Mask.JSON(encoded))
}

// badUTF8 is what JSON has in place of invalid UTF-8.
const badUTF8 = `\ufffd`

// tell emits an event, after those of the records before it.
func (e *exec) tell(event Event) {
	e.queue(event)
	e.tellAll()
}

// queue has an event emitted along with the next ones.
func (e *exec) queue(event Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.untold = append(e.untold, event)
}

// note has a warning about a unit, or the run, emitted along with the next events.
func (e *exec) note(u journal.Unit, message string) { e.queue(Event{Unit: u, Event: warning(message)}) }

// tellAll emits all events that are not emitted yet.
func (e *exec) tellAll() {
	e.telling.Lock()
	defer e.telling.Unlock()
	for {
		e.mu.Lock()
		all := e.untold
		e.untold = nil
		e.mu.Unlock()
		if len(all) == 0 {
			return
		}
		for i := range all {
			e.emit(&all[i])
		}
	}
}

// breaks ends the run because of a bug, or because data is lost without which it can't go on.
func (e *exec) breaks(err error) {
	e.mu.Lock()
	if e.broken == nil {
		e.broken = err
	}
	e.mu.Unlock()
	e.abort(err)
	e.cut(err)
}

// conclude makes and records the result of the run, once nothing works in it any more.
func (e *exec) conclude(ctx context.Context, s *scope, l *list) *Result {
	var cause error
	if e.over.Err() != nil {
		cause = context.Cause(e.over)
	} else if ctx.Err() != nil { // which interrupted the run, or would have in a moment
		cause = context.Cause(ctx)
	}
	e.tellAll() // no record follows the end
	var result *Result
	if waits(l.results) && e.broken == nil {
		result = e.leftWaiting(cause, l.results)
	}
	if result == nil && e.broken == nil {
		result = e.run.conclude(ctx, cause, e.top, s, l)
	}
	if e.broken != nil {
		return e.brokenOff(e.broken)
	}
	e.endRun(result)
	return result
}

// leftWaiting returns the result of a run in which everything that is left waits for a person.
// A failure of something else takes precedence.
func (e *exec) leftWaiting(cause error, results []*StepResult) *Result {
	r, err := ReadResult(e.Dir)
	if err != nil {
		e.breaks(err)
		return nil
	}
	r.Status, r.Error, r.Running, r.Outputs, r.Inputs = steps.Waiting, nil, false, Values{}, e.top.inputs
	r.failBy(failedIn(results))
	if cause != nil {
		r.interrupted(cause)
	}
	r.Finished = time.Now().UTC()
	r.Duration = e.run.took().Milliseconds()
	return r
}

// endRun records that the run has ended.
func (e *exec) endRun(result *Result) {
	type fields Result // without the methods
	result.Answered = e.given
	waiting := result.Waiting
	result.Waiting = nil // the records have them
	p := &entry{
		fact: journal.Record{Kind: journal.End, Status: journal.Status(result.Status), Reason: kindOf(result.failure()), Forgiven: result.forgives()},
		data: struct {
			*fields
			Commit string `json:"commit,omitempty"` // of the workspace
		}{(*fields)(result), e.commit(e.top)},
	}
	e.prepare(p)
	result.Waiting = waiting
	e.mu.Lock()
	e.enter(p)
	e.ended = true
	e.mu.Unlock()
	if p.failed != nil {
		result.spoil(p.failed)
	}
}

// brokenOff returns the result of a run that could not be concluded.
func (e *exec) brokenOff(err error) *Result {
	r := &Result{
		Version: 1, RunID: e.ID, Workflow: e.top.ref(), Status: steps.Failed, Started: e.run.began.UTC(), Finished: time.Now().UTC(),
		Inputs: e.top.inputs, Steps: StepResults{},
	}
	r.Error = &Failure{Error: steps.Error{Kind: steps.KindInternal, Message: err.Error(), Hint: "please report this, with the workflow", Err: err}}
	if damaged := new(journal.Error); errors.As(err, &damaged) {
		r.Error.Hint, r.Error.Option = "", OptionFrom
	}
	return r
}
