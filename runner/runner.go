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
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/trace"
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

// A run has what all parts of one run share.
type run struct {
	Options
	folder  *folder
	journal *journal.Journal
	exec    *exec
	abort   context.CancelCauseFunc // ends the run for a reason of the runner's own
	base    context.Context         // of everything that works; the end of the run's own context is joined where work is done
	cut     context.CancelCauseFunc // ends base
	began   time.Time
	worked  time.Duration // by processes before this one
	trace   trace.Trace
	since   time.Time   // when this process began to work; zero while it reads the journal
	lock    sync.Mutex  // held while an event is observed
	refused sync.Map    // see guardedModel
	unkept  atomic.Bool // there was a warning that answers are not kept
}

// open opens the folder of the run, a new one unless the run is resumed, and writes the record
// with which this process begins.
func (r *run) open(top *instance) (err error) {
	openJournal, begin, invalid := journal.Create, (*exec).beginRun, r.invalidFolder
	if r.Resume != nil {
		openJournal, begin, invalid = journal.Open, (*exec).resume, invalidRun
	}
	if r.journal, err = openJournal(r.Dir, r.journalOptions()); err != nil {
		return invalid(err)
	}
	if r.folder, err = openFolder(r.Dir, r.Mask); err == nil {
		err = begin(newExec(r, top))
	}
	if err != nil {
		r.close()
		return invalid(err)
	}
	return nil
}

// invalidFolder returns the error for the folder of a new run.
func (r *run) invalidFolder(err error) error {
	err = fmt.Errorf("run folder %s: %w", r.Dir, err)
	return &steps.Error{Kind: steps.KindInvalidInput, Message: err.Error(), Option: OptionDir, Err: err}
}

// LostUnit returns the unit whose recorded data is missing or damaged, as an error says; the
// zero Unit if it says nothing of the kind.
func LostUnit(err error) journal.Unit {
	if damaged := new(journal.Error); errors.As(err, &damaged) {
		return damaged.Unit
	}
	return journal.Unit{}
}

// invalidRun returns the error for a run that can't be resumed.
func invalidRun(err error) error {
	var own *steps.Error
	if errors.As(err, &own) {
		return own
	}
	invalid := &steps.Error{Kind: steps.KindInvalidInput, Message: err.Error(), Err: err}
	if broken := new(journal.Error); !LostUnit(err).IsZero() {
		invalid.Option = OptionFrom
	} else if errors.As(err, &broken) {
		invalid.Hint = "the run folder was not changed"
	}
	return invalid
}

func (r *run) run(ctx context.Context, top *instance) *Result {
	r.emit(&Event{Workflow: top.Name, Event: steps.Event{Type: RunStarted}})
	r.exec.tellAll()
	detach := r.attach()
	result := r.exec.execute(ctx)
	detach()
	r.emit(&Event{Status: result.Status, Failure: result.failure(), Elapsed: r.took(), Event: steps.Event{Type: RunFinished}})
	if err := r.folder.check(); err != nil {
		result.spoil(err)
	}
	if err := r.folder.writeRun(result); err != nil {
		result.spoil(fmt.Errorf("run.json: %w", err))
	}
	return result
}

// took returns how long processes have worked in the run, without the time between them.
func (r *run) took() time.Duration {
	if r.since.IsZero() {
		return r.worked
	}
	return r.worked + time.Since(r.since)
}

// close closes the journal and the folder. Everything that could be written is written,
// so an error here is one that was reported before.
func (r *run) close() {
	_ = r.journal.Close()
	if r.folder != nil {
		_ = r.folder.close()
	}
}

// emit passes an event to the observer. A warning is a record, too.
func (r *run) emit(e *Event) {
	r.lock.Lock()
	defer r.lock.Unlock()
	e.Time, e.RunID = time.Now().UTC(), r.ID
	e.locate()
	if e.Type == steps.Warning {
		r.exec.warned(e.Unit, journal.Warning{Message: e.Message, Error: e.Event.Error})
	}
	e.hide(r.Mask)
	r.observe(e)
}

// observe calls the caller's observer. A panic in it ends the run, but not the program.
func (r *run) observe(e *Event) {
	if r.Observe == nil {
		return
	}
	if crash := panics.Try(func() { r.Observe(*e) }); crash != nil {
		r.abort(&steps.Error{Kind: steps.KindInternal, Message: fmt.Sprintf("the observer of events crashed: %v", crash.Value), Err: crash.AsError()})
	}
}

// lost ends the run, and everything that works in it at once, because nothing can be
// recorded any more.
func (r *run) lost(what string, err error) {
	cause := &steps.Error{Kind: steps.KindInternal, Err: err}
	if gone := r.folder.check(); gone != nil {
		cause.Err, cause.Option = gone, OptionDir
	} else if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		cause.Hint = "free disk space for the run folder"
	}
	cause.Message = fmt.Sprintf("%s: %v", what, cause.Err)
	r.abort(cause)
	r.cut(cause)
}
