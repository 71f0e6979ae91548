package runner

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/internal/trace"
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
	Options
	top     *instance
	folder  *folder
	journal *journal.Journal
	records *history.Run // what the records say
	store   *store       // reads results back

	base        context.Context         // of everything that works; the end of the run's own context is joined where work is done
	cut         context.CancelCauseFunc // ends base
	abort       context.CancelCauseFunc // ends the run for a reason of the runner's own
	interrupted context.Context         // ends when the run is interrupted
	over        context.Context         // ends when steps with always() have no time left, too

	began  time.Time
	worked time.Duration // by processes before this one
	since  time.Time     // when this process began to work; zero while it reads the journal
	trace  trace.Trace

	workers *pool.Pool
	slots   *slots
	barrier barrier
	refused sync.Map    // see guardedModel
	unkept  atomic.Bool // there was a warning that answers are not kept

	telling   sync.Mutex // held while events are emitted, never inside mu
	mu        sync.Mutex // held while a record is appended, and while what they say is read
	untold    []Event    // events that are not emitted yet, in the order of the records
	ended     bool       // the run is over
	unwritten error      // why a record could not be written; no other is written after it
	broken    error      // a bug, or lost data, after which the run's result can't be made

	dry *dryRun // nil: the exec works

	anyModel bool // models are not compared: the options name one, now or in an earlier process

	given   int                                // answers from the options, with which this process began
	replies map[journal.Address]*journal.Reply // they, by the attempts that asked
}

// prepareRun prepares what the units of the run share. The journal and the folder are open.
func (e *exec) prepareRun() {
	e.slots = newSlots(e.MaxParallel)
	e.records = &history.Run{Resumes: true}
	e.store = newStore(e.journal.Reader, stepsOf(e.top.Steps, "", nil))
	e.store.folder, e.store.mask = e.folder, e.Mask
}

// walk runs the steps of the workflow, and returns them.
func (e *exec) walk(ctx context.Context) *list {
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
	top := &site{exec: e, in: e.top, at: e.top.at, visible: newVisible(), budget: e.runBudget(), around: e.base, forQuestions: e.base}
	return top.list(&e.records.Top, frontier{}, e.top.Steps)
}

// An entry is a record on its way into the journal.
type entry struct {
	record   journal.Record
	data     any     // of the record; nil is none
	what     string  // is lost if it can't be written, in the words of an error
	also     func()  // is called along with it; nil is nothing
	events   []Event // follow from it
	prepared bool
	failed   error // why it could not be written
}

// append writes a record, before anything that depends on it begins. A run that can't write only
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
	return &p.record
}

// prepare does what takes time and needs no lock. It sets the record's data.
func (e *exec) prepare(p *entry) {
	if p.prepared || p.failed != nil {
		return
	}
	p.prepared = true
	if p.data != nil && p.record.Data == nil {
		p.record.Data, p.failed = jsonline.Encode(p.data)
	}
	if p.failed == nil {
		p.failed = e.journal.Prepare(&p.record)
	}
}

// enter writes a record, unless preparing it failed. After one that could not be written none is
// written, so that the journal has no gap. e.mu is held.
func (e *exec) enter(p *entry) {
	switch {
	case e.unwritten != nil:
		p.failed = e.unwritten
	case p.failed == nil && e.passFact != nil:
		p.failed = e.passFact(&p.record)
	}
	if p.failed == nil {
		p.failed = e.journal.Write(&p.record)
	}
	if e.unwritten = p.failed; p.failed != nil {
		p.record.At = 0
		p.record.Time = time.Now().UTC()
	}
	e.takeIn(&p.record)
	if p.also != nil {
		p.also()
	}
	e.untold = append(e.untold, p.events...)
}

// warned records a warning, unless the run has ended.
func (e *exec) warned(u journal.Address, w journal.Warning) {
	p := &entry{record: journal.Record{Kind: journal.Warned, Unit: u}, data: w}
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
func (e *exec) note(u journal.Address, message string) {
	e.queue(Event{Unit: u, Event: warning(message)})
}

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
