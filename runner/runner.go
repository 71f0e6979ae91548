// Package runner says how a workflow runs: it links the names of a checked
// workflow to steps, models and tools, decides what runs when, and writes down
// what happened.
//
//	result, err := runner.Run(ctx, runner.Options{
//		Workflow: workflow, Inputs: inputs, Dir: dir, Workspace: ".",
//		Models: models, Tools: toolbox,
//	})
//
// What may run next says a plan, which is the fold of the run's records (package
// plan); the engine of this process does it (engine.go), appends a record of what came
// of it, lets the plan take that, and tells it.
// A run that has begun always gives a result, also when it failed; everything
// that it did is in its folder by then. It leaves no goroutine and no process.
package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/runner/record"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/sourcegraph/conc/panics"
)

// Run runs the workflow. An error says that nothing ran: a folder that can't
// be made, a model that there is not. Otherwise the result says how it went,
// and stands in the folder as run.json. When ctx ends, what runs is ended and
// the result is cancelled, or what the cause says if it is a [steps.Error].
func Run(ctx context.Context, o Options) (*Result, error) {
	linked, err := Link(o)
	if err != nil {
		return nil, err
	}
	return linked.Run(ctx)
}

// A run is what all parts of one run share.
type run struct {
	Options
	folder  *folder
	journal *journal.Journal
	engine  *engine
	lists   sync.Mutex              // held while what a foreach goes over is read back
	abort   context.CancelCauseFunc // ends the run for a reason of the runner's own
	base    context.Context         // of all that works: it does not end with that of the run, of which the plan is told
	cut     context.CancelCauseFunc // ends it
	began   time.Time
	worked  time.Duration // by processes before this one
	since   time.Time     // this one works; zero while the journal of those is read
	lock    sync.Mutex    // held while an event is told
	refused refusals
	masker  masker
	unkept  atomic.Bool // it was told that answers are not kept
}

// open makes the folder of the run, which begins with that.
func (r *run) open(top *instance) (err error) {
	if r.Resume != nil {
		return r.openAgain(top)
	}
	r.since = time.Now()
	r.began = r.since
	if r.folder, err = newFolder(r.Dir, r.Mask); err != nil {
		return &steps.Error{Kind: steps.KindInvalidInput, Message: err.Error(), Option: OptionDir, Err: err}
	}
	if err = r.openJournal(); err == nil {
		err = newEngine(r, top).beginRun()
	}
	if err != nil {
		r.close()
		return &steps.Error{Kind: steps.KindInvalidInput, Message: err.Error(), Option: OptionDir, Err: err}
	}
	return nil
}

// openAgain opens the folder of a run that is gone on with.
func (r *run) openAgain(top *instance) (err error) {
	if r.journal, err = journal.Open(r.Dir, r.journalOptions()); err != nil {
		return invalidRun(err)
	}
	root, err := os.OpenRoot(r.Dir)
	if err != nil {
		return invalidRun(errors.Join(err, r.journal.Close()))
	}
	r.folder = &folder{dir: r.Dir, root: root, mask: r.Mask}
	if err = newEngine(r, top).resume(); err == nil {
		err = r.folder.openAgain()
	}
	if err != nil {
		return invalidRun(errors.Join(err, r.folder.close(), r.journal.Close()))
	}
	return nil
}

func invalidRun(err error) error {
	var own *steps.Error
	if errors.As(err, &own) {
		return own
	}
	broken, hint := new(journal.Error), ""
	if errors.As(err, &broken) {
		hint = "nothing in the run's folder was changed"
	}
	return &steps.Error{Kind: steps.KindInvalidInput, Message: err.Error(), Hint: hint, Err: err}
}

func (r *run) run(ctx context.Context, top *instance) *Result {
	r.emit(&Event{Workflow: top.Name, Event: steps.Event{Type: RunStarted}})
	r.engine.warnOfCommit()
	r.engine.warnOfLacking()
	detach := r.attach()
	result := r.engine.drive(ctx)
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

// took is how long processes have worked in the run, without the time between them.
func (r *run) took() time.Duration {
	if r.since.IsZero() {
		return r.worked
	}
	return r.worked + time.Since(r.since)
}

// close lets go of the folder. What could be written has been: an error here
// has been met before.
func (r *run) close() {
	if r.journal != nil {
		_ = r.journal.Close()
	}
	_ = r.folder.close()
}

// emit passes an event to the observer. A warning is a record, too.
func (r *run) emit(e *Event) {
	r.lock.Lock()
	defer r.lock.Unlock()
	e.Time, e.RunID = time.Now().UTC(), r.ID
	if e.Type == steps.Warning {
		r.engine.append(nil, nil, record.Record{Kind: record.Warned, Unit: e.Unit}, record.Warning{Message: e.Message, Error: e.Event.Error})
	}
	r.masker.hide(e, r.observe)
}

// observe calls the caller's observer. A bug of the caller's ends the run, and not the
// program.
func (r *run) observe(e *Event) {
	if r.Observe == nil {
		return
	}
	if crash := panics.Try(func() { r.Observe(*e) }); crash != nil {
		r.abort(&steps.Error{Kind: steps.KindInternal, Message: fmt.Sprintf("the observer of events crashed: %v", crash.Value), Err: crash.AsError()})
	}
}

// lost ends the run, and at once all that works in it, because what happens can't be
// written down any more.
func (r *run) lost(what string, err error) {
	cause := &steps.Error{Kind: steps.KindInternal, Err: err}
	if gone := r.folder.check(); gone != nil {
		cause.Err, cause.Option = gone, OptionDir
	} else if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		cause.Hint = "free space where the run's folder is"
	}
	cause.Message = fmt.Sprintf("%s: %v", what, cause.Err)
	r.abort(cause)
	r.cut(cause)
}
