// Package runner says how a workflow runs: it links the names of a checked
// workflow to steps, models and tools, decides what runs when, and writes down
// what happened.
//
//	result, err := runner.Run(ctx, runner.Options{
//		Workflow: workflow, Inputs: inputs, Dir: dir, Workspace: ".",
//		Models: models, Tools: toolbox,
//	})
//
// What may run next is decided by a plan, a pure function of what has happened
// so far (plan.go); drive.go is the engine that follows it in this process.
// A run that has begun always gives a result, also when it failed; everything
// that it did is in its folder by then. It leaves no goroutine and no process.
package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// Options say what to run, and with what.
type Options struct {
	Workflow *workflows.Workflow
	Inputs   map[string]any // as [workflows.Workflow.CheckInputs] returns them

	ID        string // of the run
	Dir       string // the run's folder; made by Run, with its parents
	Workspace string // where a workflow that names no workspace works, and where a relative one starts

	Model       string  // the reference of the model for every step; empty: as the workflow says
	MaxParallel int     // steps and elements that run at once; 64 when 0
	BudgetUSD   float64 // in place of the workflow's; 0: as the workflow says

	// Models returns the model of a reference, with its retries and limits
	// around it. The same reference gives the same model. Nil: there is none.
	Models func(ref string, w *workflows.Workflow) (providers.Model, error)

	// Tools returns the tools that one step may be offered, and what guards
	// them. Nil: there are none.
	Tools func(ToolScope) (Toolbox, error)

	// Ask answers for calls whose verdict is ask; nil denies them.
	Ask tools.Asker

	// Record wraps what a conversation asks, its fallbacks included; nil leaves
	// it as it is.
	Record func(providers.Model) providers.Model

	// Price returns what a model's use costs, where that is known.
	Price func(model string, u providers.Usage) (usd float64, known bool)

	// Environment returns the environment of commands: what every command
	// gets, and the named variables that are set. Nil: it is empty.
	Environment func(names []string) []string

	// LookupEnv is how expressions read the variables that a workflow names.
	// Nil: none is set.
	LookupEnv func(name string) (string, bool)

	Observe func(Event) // each event, one at a time, in order; not yet numbered
	Mask    *tools.Mask // hides secrets in all that is written
}

// A ToolScope is where the tools of a step work.
type ToolScope struct {
	Workflow  *workflows.Workflow
	Workspace string // absolute
	Outputs   string // the folder of whole outputs, which may always be read
	Tools     []string
	Layers    []Layer // outermost first; the last is the step's own
	Env       workflows.Env
}

// A Layer is one trust domain of rules: those of a workflow and of one of its
// steps, put together.
type Layer struct {
	Workflow *workflows.Workflow
	Step     workflows.Permissions
}

// A Toolbox is the tools of one step.
type Toolbox struct {
	// Find returns the tools that a name or a pattern of a workflow stands
	// for; none when there is no such tool.
	Find  func(name string) []tools.Tool
	Guard tools.Guard
}

// Run runs the workflow. An error says that nothing ran: a folder that can't
// be made, a model that there is not. Otherwise the result says how it went,
// and stands in the folder as run.json. When ctx ends, what runs is ended and
// the result is cancelled, or what the cause says if it is a [steps.Error].
func Run(ctx context.Context, o Options) (*Result, error) {
	r, top, err := prepare(o)
	if err != nil {
		return nil, err
	}
	defer r.close()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	r.abort = stop
	return r.run(ctx, top), nil
}

// A run is what all parts of one run share.
type run struct {
	Options
	folder *folder
	events *os.File
	stream *Stream
	slots  *slots
	abort  context.CancelCauseFunc // ends the run for a reason of the runner's own
	began  time.Time
	lock   sync.Mutex // held while an event is told
}

func prepare(o Options) (*run, *instance, error) {
	o = o.withDefaults()
	r := &run{Options: o, slots: &slots{free: o.MaxParallel}, began: time.Now()}
	top, err := r.instance(o.Workflow, o.Inputs, nil)
	if err != nil {
		return nil, nil, err
	}
	if err := top.checkModels(); err != nil {
		return nil, nil, err
	}
	if r.folder, err = newFolder(o.Dir, o.Mask); err != nil {
		return nil, nil, &steps.Error{Kind: steps.KindInvalidInput, Message: err.Error(), Hint: "name another folder with --run-dir", Err: err}
	}
	if r.events, err = r.folder.events(); err != nil {
		r.folder.close()
		return nil, nil, &steps.Error{Kind: steps.KindInvalidInput, Message: err.Error(), Err: err}
	}
	r.stream = NewStream(r.events, false, o.Mask)
	return r, top, nil
}

func (r *run) run(ctx context.Context, top *instance) *Result {
	r.emit(Event{Workflow: top.Name}, steps.Event{Type: RunStarted})
	ctx, cancel := top.bound(ctx)
	defer cancel()
	results := top.scope(r).list(ctx, top.Steps)
	result := r.conclude(ctx, top, results)
	r.emit(Event{Status: result.Status, Failure: result.failure(), Elapsed: time.Since(r.began)}, steps.Event{Type: RunFinished})
	if err := r.folder.check(); err != nil {
		result.spoil(err)
	}
	if err := r.folder.writeRun(result); err != nil {
		result.spoil(fmt.Errorf("run.json: %w", err))
	}
	return result
}

// close lets go of the folder. What could be written has been: an error here
// has been met before.
func (r *run) close() {
	_ = r.events.Close()
	_ = r.folder.close()
}

// emit tells an event to the run's own file and to the observer. A file that
// can't be written ends the run: what it does could not be told any more.
func (r *run) emit(e Event, inner steps.Event) {
	r.lock.Lock()
	defer r.lock.Unlock()
	e.Time, e.RunID, e.Event = time.Now().UTC(), r.ID, inner
	if r.Observe != nil {
		r.Observe(e)
	}
	if err := r.stream.Write(e); err != nil {
		r.abort(&steps.Error{Kind: steps.KindInternal, Message: fmt.Sprintf("events.jsonl: %v", err), Err: err})
	}
}

// conclude puts the run's result together.
func (r *run) conclude(ctx context.Context, top *instance, results []*StepResult) *Result {
	result := &Result{
		Version: 1, RunID: r.ID, Workflow: top.ref(), Status: steps.Succeeded,
		Started: r.began.UTC(), Inputs: top.inputs, Steps: flatten(results), text: lastText(results),
	}
	result.account(results)
	if failure := firstFailure(results); failure != nil {
		result.Status = failure.Status
		result.Error = &Failure{Step: innermost(failure).path, Error: *failure.Error}
	}
	if ctx.Err() != nil {
		result.interrupted(context.Cause(ctx))
	}
	outputs, err := top.outputs(top.scope(r).after(results))
	result.Outputs = outputs
	if err != nil && result.Status == steps.Succeeded {
		result.spoil(err)
	}
	result.Finished = time.Now().UTC()
	result.Duration = time.Since(r.began).Milliseconds()
	return result
}

// interrupted says that the run was ended from outside, or by a limit of its
// own.
func (r *Result) interrupted(cause error) {
	own := causeError(cause)
	r.Status = steps.Cancelled
	switch own.Kind {
	case steps.KindBudget, steps.KindTimeout:
		r.Status = steps.Stopped
	case steps.KindInternal, steps.KindDenied:
		r.Status = steps.Failed
	}
	if r.Error == nil || r.Status == steps.Cancelled || r.Error.Kind == steps.KindCancelled {
		r.Error = &Failure{Error: *own}
	}
}

// spoil turns a success into a failure of the runner's own.
func (r *Result) spoil(err error) {
	if r.Status == steps.Succeeded {
		r.Status = steps.Failed
		r.Error = &Failure{Error: *asError(err)}
	}
}

func (r *Result) failure() *steps.Error {
	if r.Error == nil {
		return nil
	}
	return &r.Error.Error
}

// causeError is why a context ended: what it was given as the cause, if that
// is one of ours, else an interruption from outside.
func causeError(cause error) *steps.Error {
	var own *steps.Error
	switch {
	case errors.As(cause, &own):
		return own
	case errors.Is(cause, context.DeadlineExceeded):
		return &steps.Error{Kind: steps.KindTimeout, Message: "the time of the run is up", Err: cause}
	}
	return &steps.Error{Kind: steps.KindCancelled, Message: cause.Error(), Err: cause}
}

func asError(err error) *steps.Error {
	var own *steps.Error
	if errors.As(err, &own) {
		return own
	}
	return &steps.Error{Kind: steps.KindOf(err), Message: err.Error(), Err: err}
}

// absolute returns path as it stands in folder.
func absolute(folder, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(folder, path)
}
