// Package host finds what a workflow needs to run: from the names in its file to
// models, tools, policies, sandboxes, tool servers, masks and prices. Every program
// that runs workflows begins here:
//
//	h, err := host.Open(ctx, host.Options{File: "review.yaml", Inputs: map[string]any{"branch": "main"}})
//	if err != nil {
//		return err // with every mistake of the file and of the set-up
//	}
//	defer h.Close()
//	result, err := h.Run(ctx)
//
// A workflow that runs often is loaded once ([Load]), and opened for each run;
// [Models] that are shared share their limits. A service that does so over HTTP,
// with progress, is in example_serve_test.go. Nothing here knows a flag or a
// terminal, prints, or ends the program.
package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/commit"
	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/tools/permission"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// Options say what to run, and with what. A File or a Loaded workflow is all that
// they have to have.
type Options struct {
	File        string      // of the workflow
	Environment Environment // for the workflow of File
	Loaded      *Loaded     // in place of File, with its environment

	Inputs      map[string]any   // as encoding/json reads them; those that are left out have their defaults
	Foreign     bool             // the inputs may be a model's
	Workspace   string           // the folder to work in; "": as the workflow says, or the current folder
	Model       string           // the reference of the model for every step; "": as the workflow says
	MaxParallel int              // steps and elements of this run that run at once; 64 when 0
	Grace       time.Duration    // how long steps that ask always() have after an interrupt; 0: none
	BudgetUSD   *float64         // in place of the workflow's; nil: as the workflow says; 0: nothing may be spent
	Prices      providers.Prices // go before those that are known; see [ReadPrices]
	Models      *Models          // of the same environment; nil: those of this run alone

	ID  string // of the run; "": a new one, as [NewRunID] makes them
	Dir string // the folder of the run, which Run makes; "": .flow/runs/<ID> in the current folder

	// Resume goes on with the run in Dir, which is that of ID; nil runs anew.
	Resume *runner.Resumption

	// PlanOnly is for what shows a plan: models may lack their keys, and Run
	// returns an error.
	PlanOnly bool

	// Ask answers for calls that have to be asked for; nil denies them. With Later those
	// wait for a person, and it answers only for what comes up while a call runs, which
	// can't wait.
	Ask   tools.Asker
	Later bool

	Question func(ctx context.Context, q *runner.Question) (any, error) // see [runner.Options]
	AskAgain tools.Asker                                                // see [runner.Options]

	// Observe is given each event, one at a time, in order, from goroutines of the
	// run, which waits for it. Secrets are hidden in it. Nil: nobody follows the run.
	Observe func(runner.Event)
	Deltas  bool // see [runner.Options]

	Answers Answers // that are kept, of steps that have a cache

	// Record wraps what each conversation asks, its fallbacks included; nil
	// leaves it as it is.
	Record func(providers.Model) providers.Model

	// Reached is told what the run would have reached beyond this machine: a model
	// that is no script, a page, a tool server. Such a thing is refused then, and the
	// commands that are held have no network. It has to be safe for concurrent use.
	// Nil: nothing is refused.
	Reached func(what string)

	// Protected are files beside the workflow's own that tools never write, such as
	// those that reports of the run go to. Pipes and devices among them are not looked at.
	Protected []string

	// Mask hides secrets in all that is written of the run; those that come up while
	// it runs are added to it. Nil: one of the run alone, as [Loaded.Mask] returns it.
	Mask *tools.Mask

	// Warn is given what happens beside the run before it begins or after it is
	// over, such as what a tool server does; during the run it is an event. Nil:
	// nobody hears of it.
	Warn func(message string)
}

// A Host has what one run of a workflow needs: its models, its tools, the servers
// of these, and what guards them. It is for one run, and the caller's to close.
type Host struct {
	*Loaded
	options  Options
	run      runner.Options
	linked   *runner.Linked
	boxes    *toolboxes
	beside   *alarm
	warnings workflows.Diagnostics
}

// Open finds everything that the workflow needs to run. Nothing runs yet, and no
// server is started; the context is not that of the run. The error has what is wrong
// with the file or with the set-up as [workflows.Diagnostics], or it is a
// [steps.Error] that says what kept the rest from being found: of the kind
// [steps.KindInvalidInput] where inputs or other options can't be meant. It names
// every input that is wrong.
func Open(ctx context.Context, o Options) (*Host, error) {
	var warnings workflows.Diagnostics
	if o.Loaded == nil {
		if o.Loaded, warnings = Load(o.File, LoadOptions{Environment: o.Environment}); o.Loaded == nil {
			return nil, warnings
		}
	}
	if o.Models == nil {
		o.Models = NewModels(o.Loaded.env)
	}
	h := &Host{Loaded: o.Loaded, options: o, boxes: newToolboxes(o.Loaded, regularFiles(o.Protected)...), beside: &alarm{say: o.Warn}}
	if err := h.prepare(); err != nil {
		return nil, err
	}
	f := &preflight{Loaded: h.Loaded, options: h.run, models: o.Models}
	linked, err := f.link()
	h.linked, h.warnings = linked, append(warnings, f.found...)
	switch {
	case h.warnings.HasErrors():
		return nil, h.warnings.Sorted()
	case err != nil:
		return nil, err
	}
	if err := h.ready(); err != nil {
		return nil, errors.Join(err, h.Close())
	}
	return h, nil
}

// ready makes the models of all agents, and the tools of all steps, as far as they
// are known before anything runs.
func (h *Host) ready() error {
	var failed error
	eachAgent(h.linked, func(at *runner.Linked, step *workflows.Step) {
		if _, err := at.Models(step.Agent); err != nil && failed == nil {
			failed = fmt.Errorf("step %q: %w", step.Path, err)
		}
	})
	if failed != nil {
		return failed
	}
	names := h.env.names(h.Workflow, h.run.Inputs)
	for _, step := range workflows.Leaves(h.Steps) {
		if step.Agent == nil && step.Call == nil {
			continue
		}
		if err := h.boxes.ready(h.linked.Scope(step), names); err != nil {
			return fmt.Errorf("step %q: %w", step.Path, err)
		}
	}
	return nil
}

// prepare completes the options of the run.
func (h *Host) prepare() error {
	inputs, err := h.CheckInputs(h.options.Inputs)
	if err != nil {
		return invalid("", "%v", err)
	}
	h.run = h.runnerOptions(h.options)
	h.run.Inputs, h.run.Tools, h.run.Hold, h.run.Attach = inputs, h.boxes.box, h.boxes.hold, h.beside.attach
	h.run.Reading, h.run.Refused = h.boxes.reading, h.boxes.refused
	if h.run.ID == "" {
		h.run.ID = NewRunID(time.Now())
	}
	start, err := StartFolder()
	if err != nil {
		return err
	}
	h.run.Dir = filepath.Join(start, RunsFolder, h.run.ID)
	if h.options.Dir != "" {
		h.run.Dir = paths.In(start, h.options.Dir)
	}
	if h.options.Resume == nil && !h.options.PlanOnly {
		if err := refuseFull(h.run.Dir); err != nil {
			return err
		}
	}
	if err := permission.CheckPath(h.run.Dir); err != nil {
		message := fmt.Sprintf("the run's folder %q: %v", h.run.Dir, err)
		return &steps.Error{Kind: steps.KindInvalidInput, Message: message, Hint: "rename it", Option: runner.OptionDir}
	}
	h.boxes.warn, h.boxes.ask = h.beside.warn, h.options.Ask
	h.boxes.reached, h.boxes.servers.reached = h.options.Reached, h.options.Reached
	h.boxes.servers.folder, h.boxes.servers.mask = h.run.Dir, h.run.Mask
	return nil
}

// runnerOptions are the options of the runner that a workflow is linked with.
func (l *Loaded) runnerOptions(o Options) runner.Options {
	foreign := l.foreign()
	return runner.Options{
		Workflow: l.Workflow, ID: o.ID, Workspace: o.Workspace, Elsewhere: l.origins.elsewhereTop, Recipe: l.recipe, InputsForeign: o.Foreign,
		Foreign: func(w *workflows.Workflow) bool { return foreign[w] },
		Model:   o.Model, MaxParallel: o.MaxParallel, Grace: o.Grace, BudgetUSD: o.BudgetUSD,
		Models: l.finder(o), Price: l.pricing(o.Prices), Ask: o.Ask, Later: o.Later, Question: o.Question, AskAgain: o.AskAgain, Record: o.Record, Observe: o.Observe, Deltas: o.Deltas,
		Answers: l.answers(o.Answers), Environment: l.env.ofCommands, LookupEnv: l.env.lookup, EnvNames: l.env.all, Mask: cmp.Or(o.Mask, l.Mask()), Secrets: l.namedSecrets(), Files: l.Digests(), Resume: o.Resume, Commit: commit.Of,
	}
}

// finder finds the models of a run. A script that the options name starts where
// the workflow of the run does, whoever asks it; each is played once in the run.
func (l *Loaded) finder(o Options) func(string, *workflows.Workflow) (providers.Model, error) {
	var mu sync.Mutex
	playing := map[string]providers.Model{} // by their files
	foreign := l.foreign()
	return func(ref string, w *workflows.Workflow) (providers.Model, error) {
		name, scripted := strings.CutPrefix(ref, scriptProvider+"/")
		if !scripted && o.Reached != nil && !o.PlanOnly {
			o.Reached("the model " + ref)
			return nil, configuration("", "the model %s is no script, and nothing beyond this machine is asked", ref)
		}
		if !scripted {
			return o.Models.find(ref, w, !o.PlanOnly && !o.Answers.Only, foreign[w])
		}
		if ref == o.Model {
			w = l.Workflow
		} else if err := l.origins.Reaches(w.File, paths.In(w.Dir, filepath.FromSlash(name))); err != nil {
			return nil, configuration("", "the script %s: %v", name, err)
		}
		mu.Lock()
		defer mu.Unlock()
		file := paths.In(w.Dir, filepath.FromSlash(name))
		if found := playing[file]; found != nil {
			return found, nil
		}
		found, err := o.Models.find(ref, w, !o.PlanOnly, false)
		if err == nil {
			playing[file] = found
		}
		return found, err
	}
}

// Warnings are what is doubtful in the file or the set-up, and keeps nothing from
// running: of the file where Open has read it, else only of the set-up.
func (h *Host) Warnings() workflows.Diagnostics { return h.warnings }

// Linked is the workflow with what its names stand for, which is what a plan
// shows.
func (h *Host) Linked() *runner.Linked { return h.linked }

// Dir is the folder of the run, absolute.
func (h *Host) Dir() string { return h.run.Dir }

// Run runs the workflow, once. Servers that it can't do without are started first.
// An error says that nothing ran; else the result says how it went, also where it
// failed or ctx ended, which ends what runs; it is in the folder of the run as
// run.json. Secrets are not hidden in the result itself: what shows it writes it
// with [runner.Result.WriteJSON] and [Loaded.Mask].
func (h *Host) Run(ctx context.Context) (*runner.Result, error) {
	if h.options.PlanOnly {
		return nil, errors.New("host: the workflow was opened to be shown, not to be run")
	}
	if err := h.boxes.servers.require(ctx, h.Loaded, h.run.Inputs, h.linked.Workspace()); err != nil {
		h.beside.abandon()
		return nil, err
	}
	if start, err := StartFolder(); err == nil && h.options.Dir == "" {
		if err := ignoreOwn(start); err != nil {
			h.beside.warn(fmt.Sprintf("git does not ignore what flow writes here: %v", err))
		}
	}
	return h.linked.Run(ctx)
}

// Close ends the servers of the run, and lets go of its folders. It is called when
// nothing runs any more, also where nothing has run.
func (h *Host) Close() error { return h.boxes.close() }
