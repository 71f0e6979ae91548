// Package host provides what a workflow needs to run: it resolves the names in the file to
// models, tools, policies, sandboxes, tool servers, masks and prices. Every program that runs
// workflows begins here:
//
//	h, err := host.Open(ctx, host.Options{File: "review.yaml", Inputs: map[string]any{"branch": "main"}})
//	if err != nil {
//		return err // with every mistake of the file and of the set-up
//	}
//	defer h.Close()
//	result, err := h.Run(ctx)
//	if err != nil {
//		return err // nothing ran
//	}
//	if err := result.Err(); err != nil {
//		return err // it did not succeed
//	}
//	fmt.Println(h.Mask().String(result.Text()))
//
// The text of an error lacks what would help: [steps.HintOf] returns that. Text of a result is masked
// when it is shown, as here.
//
// With Options.Model "script/demo.script.yaml", a file beside the workflow plays the model, which
// needs no key: steps: {"*": [{text: Done.}]}. Events have a form in JSON, and package
// runner/view puts them in lines for people.
//
// A workflow that runs often is loaded once ([Load]), and opened for each run. Runs that share
// [Models] share their limits. example_serve_test.go has a service that does so over HTTP, with
// progress. This package knows no flags and no terminal; it does not print or end the program.
//
// On Linux a command in a sandbox is started by a copy of the program itself, in which nothing
// runs but what its packages do as they are initialized. A program should do little there.
package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/repository"
	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// Options say what to run, and with what. Only File or Loaded is required.
type Options struct {
	File        string      // the path of the workflow
	Environment Environment // for the workflow of File; a Loaded one has its own
	Loaded      *Loaded     // in place of File and Environment

	Inputs      map[string]any   // as encoding/json decodes them: lists are []any; an input that is left out has its default
	Foreign     bool             // the inputs may come from a model: no path made from them counts as the author's own
	Workspace   string           // the folder to work in; "": as the workflow says, or the current folder
	Model       string           // the model of every step, such as openai/gpt-5-mini; "": as the workflow says
	MaxParallel int              // how many steps and elements of this run run at the same time; 64 if 0
	Grace       time.Duration    // time for steps with always() after an interrupt; 0: no time
	BudgetUSD   *float64         // in place of the workflow's; nil: as the workflow says; 0: nothing may be spent
	Prices      providers.Prices // override the known ones; see [ReadPrices]
	Models      *Models          // for the same environment, shared between runs; nil: this run has its own

	ID  string // of the run: up to 128 letters, digits, _, - and . with no . or - first; "": one from [NewRunID]
	Dir string // the folder of the run, which Run makes; "": .flow/runs/<ID> in the current folder

	// Resume resumes the run in Dir; nil begins a new one. Inputs and Workspace are those of the
	// run, and are not given. File, ID, Model, MaxParallel and BudgetUSD are those of the run where
	// they are left out, and Later where neither Ask nor AskAgain is given. Another ID is an
	// error, and so are steps that have changed, unless its Changed is set.
	Resume *runner.Resumption
	Began  *runner.Beginning // how that run began, if it has been read; nil: Open reads it

	// PlanOnly is for showing a plan, or a preview: models may lack their keys, and Run returns
	// an error.
	PlanOnly bool

	// Ask decides calls whose rule is ask; nil denies them. With Later such calls wait for
	// a person, and Ask decides only what comes up while a call runs, which can't wait.
	Ask   tools.Asker
	Later bool

	Question func(ctx context.Context, q *runner.Question) (any, error) // see [runner.Options]
	AskAgain tools.Asker                                                // see [runner.Options]

	// Observe gets each event, one at a time, in order, from goroutines of the run, which
	// waits for it. Secrets are hidden in events. Their Seq is 0: a [runner.Stream] numbers
	// what it writes. Nil: nobody follows the run.
	Observe func(runner.Event)
	Deltas  bool // see [runner.Options]

	TraceParent string // see [runner.Options]
	Traced      bool   // see [runner.Options]

	Cache Cache // of the answers of steps with cache

	// Record wraps the model of each conversation, its fallbacks included; nil leaves it
	// as it is.
	Record func(providers.Model) providers.Model

	// Refuse keeps the run on this machine: it is called with whatever the run would have
	// reached beyond it, a model that is no script, a page, a tool server, which is then
	// refused. Held commands have no network. It has to be safe for concurrent use. Nil:
	// nothing is refused.
	Refuse func(what string)

	// Protected are files that tools never write, beside the workflow's own: for example
	// the reports of the run. Pipes and devices among them are ignored.
	Protected []string

	// Events is a file to which Observe writes during the run, or "": tools never write it
	// either, but its growth is nothing that a command did.
	Events string

	// Mask hides secrets in everything that is written about the run; secrets that come up
	// during the run are added to it. Nil: a new one from [Loaded.Mask].
	Mask *tools.Mask

	// Warn gets warnings about what happens before the run begins or after it is over, such
	// as what a tool server does; during the run they are events. Nil: they are dropped.
	Warn func(message string)
}

// A Host has what one run of a workflow needs: its models, its tools with their servers, and
// their guards. It is for one run. The caller closes it. Only [Open] makes one.
type Host struct {
	*Loaded
	options  Options // completed
	ignore   bool    // git is told to ignore the folder of the run
	linked   *runner.Linked
	boxes    *toolboxes
	warnings workflows.Diagnostics

	models      *Models // those that are for this run alone; nil if it shares some
	ran, closed atomic.Bool
}

// Open finds everything that the workflow needs to run. Nothing runs yet, and no server is
// started; ctx is not the context of the run. In the error, errors.As finds
// [workflows.Diagnostics], with all mistakes of the file and the set-up, or a *[steps.Error];
// [steps.KindOf] is [steps.KindInvalidInput] if inputs or other options are wrong. Every wrong
// input is a *[workflows.InputError] in it.
func Open(ctx context.Context, o Options) (*Host, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.Resume != nil {
		if err := o.readBeginning(); err != nil {
			return nil, err
		}
	}
	var warnings workflows.Diagnostics
	if o.Loaded == nil {
		if o.Loaded, warnings = Load(o.File, LoadOptions{Environment: o.Environment}); o.Loaded == nil {
			return nil, warnings
		}
	}
	if o.Resume != nil {
		if err := o.completeFrom(o.Began); err != nil {
			return nil, err
		}
	}
	h := &Host{Loaded: o.Loaded}
	if o.Models == nil {
		o.Models = NewModels(o.Loaded.env)
		h.models = o.Models
	}
	o.ID = cmp.Or(o.ID, NewRunID(time.Now()))
	if err := h.prepare(o); err != nil {
		return nil, err
	}
	f := &preflight{Loaded: h.Loaded, options: h.runnerOptions(h.options, h.boxes), models: o.Models}
	linked, err := f.link()
	h.linked, h.warnings = linked, append(warnings, f.found...).Sorted()
	switch {
	case h.warnings.HasErrors():
		return nil, h.warnings
	case err != nil:
		return nil, err
	}
	if err := h.ready(); err != nil {
		return nil, errors.Join(err, h.Close())
	}
	return h, nil
}

// ready creates the models of all agents and opens the workspaces of all steps, as far as they are
// known before anything runs.
func (h *Host) ready() error {
	if err := h.linked.CheckModels(); err != nil {
		return err
	}
	for _, step := range workflows.Leaves(h.Steps) {
		if step.Agent == nil && step.Call == nil {
			continue
		}
		if _, err := h.boxes.workspace(h.linked.Scope(step)); err != nil {
			return fmt.Errorf("step %q: %w", step.Path, err)
		}
	}
	return nil
}

// prepare completes the options, and makes what the run needs of them.
func (h *Host) prepare(o Options) (err error) {
	if o.Inputs, err = h.CheckInputs(o.Inputs); err != nil {
		return steps.Invalid("", "%w", err)
	}
	h.ignore = o.Dir == ""
	if o.Dir, err = o.folder(); err != nil {
		return err
	}
	if o.Resume == nil {
		if err := o.checkFolder(o.Dir); err != nil {
			return err
		}
	}
	o.Mask = cmp.Or(o.Mask, h.Mask())
	h.options, h.boxes = o, newToolboxes(h.Loaded, o)
	return nil
}

// runnerOptions returns the options with which a workflow is linked.
func (l *Loaded) runnerOptions(o Options, b *toolboxes) runner.Options {
	return runner.Options{
		Workflow: l.Workflow, Files: digests(l.Files(o.Model, o.Inputs)), Recipe: l.recipe, Elsewhere: l.Fetched(), Sandbox: string(l.env.Sandbox),
		Foreign: func(w *workflows.Workflow) bool { return l.foreign[w] },

		Inputs: o.Inputs, InputsForeign: o.Foreign, ID: o.ID, Dir: o.Dir, Workspace: o.Workspace, Resume: o.Resume,
		Model: o.Model, MaxParallel: o.MaxParallel, Grace: o.Grace, BudgetUSD: o.BudgetUSD,
		Ask: o.Ask, Later: o.Later, Question: o.Question, AskAgain: o.AskAgain,
		TraceParent: o.TraceParent, Traced: o.Traced,
		Record: o.Record, Observe: o.Observe, Deltas: o.Deltas, Mask: o.Mask,

		Models: l.finder(o), Price: l.pricing(o.Prices), Cache: l.cache(o.Cache), Secrets: l.namedSecrets(), Commit: repository.Commit,
		Environment: l.env.ofCommands, LookupEnv: l.env.ofWorkflow, EnvNames: l.env.all,
		Tools: b.box, Reading: b.reading, Attach: b.attach,
		Hold: func(scope runner.ToolScope, wish runner.Wish) (*steps.Sandbox, error) {
			return b.sandboxFor(scope, authorCommand, wish)
		},
	}
}

// Warnings returns what is doubtful in the set-up and, if Open has read it, in the file. It
// does not keep the workflow from running.
func (h *Host) Warnings() workflows.Diagnostics { return h.warnings }

// Linked returns the workflow with its names resolved, for showing a plan.
func (h *Host) Linked() *runner.Linked { return h.linked }

// Dir returns the folder of the run, absolute.
func (h *Host) Dir() string { return h.options.Dir }

// Run runs the workflow, once, after starting the servers that it requires. It returns an error
// only if nothing ran. Otherwise the result says how the run ended, also if it failed or ctx
// ended, which cancels everything; it is in the folder of the run, too, as run.json. A run that
// failed or was cancelled can be resumed ([Options].Resume). Secrets are
// not hidden in the result itself: write it with [runner.Result.WriteJSON] and [Loaded.Mask].
func (h *Host) Run(ctx context.Context) (*runner.Result, error) {
	switch {
	case h.options.PlanOnly:
		return nil, steps.Invalid("", "the workflow was opened with PlanOnly and can't run")
	case h.closed.Load():
		return nil, steps.Invalid("open it again", "the workflow was closed already")
	case h.ran.Swap(true):
		return nil, steps.Invalid("open it again", "the workflow was run already")
	}
	if err := h.boxes.require(ctx, h.options.Inputs, h.linked.Workspace(), h.options.Dir); err != nil {
		return nil, err
	}
	if start, err := StartFolder(); err == nil && h.ignore {
		if err := ignoreOwn(start); err != nil {
			h.boxes.warn(fmt.Sprintf("can't tell git to ignore flow's files here: %v", err))
		}
	}
	return h.linked.Run(ctx)
}

// Preview says what resuming the run of the options would do. It changes nothing, and needs no keys
// with PlanOnly.
func (h *Host) Preview(ctx context.Context) (*runner.Preview, error) { return h.linked.Preview(ctx) }

// Close ends the servers of the run, and closes its folders and the connections that no other
// run shares. Call it once nothing runs any more, also if nothing has run. A second call does
// nothing.
func (h *Host) Close() error {
	if h.closed.Swap(true) {
		return nil
	}
	if h.models != nil {
		h.models.CloseIdleConnections()
	}
	return h.boxes.close()
}

// configuration is an error in the set-up of the program: a key, a model, a server.
func configuration(hint, format string, args ...any) error {
	return &steps.Error{Kind: steps.KindConfiguration, Message: fmt.Sprintf(format, args...), Hint: hint}
}
