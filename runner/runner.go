// Package runner runs workflows: it links the names in a checked workflow to steps,
// models and tools, decides what runs when, and records what happened.
//
//	result, err := runner.Run(ctx, runner.Options{
//		Workflow: workflow, Inputs: inputs, Dir: dir, Workspace: ".",
//		Models: models, Tools: toolbox,
//	})
//
// A run is ordinary recursive code (exec), made durable by remembering results by the address of
// their unit: each is appended to the journal before anything depends on it. A resumed run executes the
// same code, and takes from the journal what still counts.
//
// A run that has begun always returns a result, also if it failed; by then everything
// that it did is in its folder, and it leaves no goroutine and no process behind.
package runner

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/sourcegraph/conc/panics"
)

// Run runs the workflow. It returns an error only if nothing ran, for example because the
// folder can't be made or a model does not exist. Otherwise the result says how the run
// ended; it is in the folder, too, as run.json. When ctx ends, everything that runs is
// ended, and the result is cancelled, or what the context's cause says if that is a
// [steps.Error].
func Run(ctx context.Context, o Options) (*Result, error) {
	linked, err := Link(o)
	if err != nil {
		return nil, err
	}
	return linked.Run(ctx)
}

// open opens the folder of the run, a new one unless the run is resumed, and writes the record
// with which this process begins.
func (e *exec) open() (err error) {
	openJournal, begin, invalid := journal.Create, (*exec).beginRun, e.invalidFolder
	if e.Resume != nil {
		openJournal, begin, invalid = journal.Open, (*exec).resume, invalidRun
	}
	if e.journal, err = openJournal(e.Dir, e.journalOptions()); err != nil {
		return invalid(err)
	}
	if e.folder, err = openFolder(e.Dir, e.Mask); err == nil {
		e.prepareRun()
		e.queue(Event{Workflow: e.top.Name, Event: steps.Event{Type: RunStarted}})
		err = begin(e)
	}
	if err != nil {
		e.close()
		return invalid(err)
	}
	return nil
}

// invalidFolder returns the error for the folder of a new run.
func (e *exec) invalidFolder(err error) error {
	err = fmt.Errorf("run folder %s: %w", e.Dir, err)
	return &steps.Error{Kind: steps.KindInvalidInput, Message: err.Error(), Option: OptionDir, Err: err}
}

// invalidRun returns the error for a run that can't be resumed.
func invalidRun(err error) error {
	var own *steps.Error
	if errors.As(err, &own) {
		return own
	}
	invalid := &steps.Error{Kind: steps.KindInvalidInput, Message: err.Error(), Err: err}
	if broken := new(journal.Error); errors.As(err, &broken) {
		invalid.Hint = "the run folder was not changed"
	}
	return invalid
}

// run runs the run, which is open, to its end. When ctx ends, it is stopped with the context's cause.
func (e *exec) run(ctx context.Context) *Result {
	e.tellAll()
	if e.Attach != nil {
		e.Attach(e.warnBeside)
	}
	result := e.conclude(ctx, e.walk(ctx))
	e.mu.Lock()
	e.ended = true // also if it broke, which no record says
	e.mu.Unlock()
	if err := e.folder.check(); err != nil {
		result.spoil(err)
	}
	if err := e.folder.writeRun(result, e.passSync); err != nil {
		result.spoil(fmt.Errorf("run.json: %w", err))
	}
	e.tell(Event{Status: result.Status, Failure: result.failure(), Elapsed: e.took(), Event: steps.Event{Type: RunFinished}})
	return result
}

// took returns how long processes have worked in the run, without the time between them.
func (e *exec) took() time.Duration {
	if e.since.IsZero() {
		return e.worked
	}
	return e.worked + time.Since(e.since)
}

// close closes the journal and the folder. Everything that could be written is written,
// so an error here is one that was reported before.
func (e *exec) close() {
	_ = e.journal.Close()
	if e.folder != nil {
		_ = e.folder.close()
	}
}

// emit passes an event to the caller's observer. A panic in that ends the run, but not the program. A
// warning is a record, too. e.telling is held.
func (e *exec) emit(event *Event) {
	event.Time, event.RunID = time.Now().UTC(), e.ID
	event.locate()
	if event.Type == steps.Warning {
		e.warned(event.Unit, journal.Warning{Message: event.Message, Error: event.Event.Error})
	}
	event.hide(e.Mask)
	if e.Observe == nil {
		return
	}
	if crash := panics.Try(func() { e.Observe(*event) }); crash != nil {
		e.abort(&steps.Error{Kind: steps.KindInternal, Message: fmt.Sprintf("the observer of events crashed: %v", crash.Value), Err: crash.AsError()})
	}
}

// lost ends the run, and everything that works in it at once, because nothing can be
// recorded any more.
func (e *exec) lost(what string, err error) {
	cause := &steps.Error{Kind: steps.KindInternal, Err: err}
	if gone := e.folder.check(); gone != nil {
		if cause.Err = gone; e.Resume == nil {
			cause.Option = OptionDir
		}
	} else if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		cause.Hint = "free disk space for the run folder"
	}
	cause.Message = fmt.Sprintf("%s: %v", what, cause.Err)
	e.abort(cause)
	e.cut(cause)
}
