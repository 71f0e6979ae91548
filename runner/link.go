package runner

import (
	"context"
	"path/filepath"
	"slices"
	"sync/atomic"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A Linked workflow is one whose names are resolved, as far as that is possible before
// anything runs.
type Linked struct {
	Workflow *workflows.Workflow
	in       *instance
	ran      atomic.Bool
}

// Link links the workflow of the options with its inputs: it evaluates what the whole workflow depends
// on, its folder and its variables, which may read files, and adds the secrets among these to the mask.
// No step runs, and no folder is made. An error is one that Run would return.
func Link(o Options) (*Linked, error) {
	if o.Workflow == nil {
		return nil, steps.Invalid("", "there is no workflow to run")
	}
	if err := CheckID(o.ID); err != nil {
		return nil, err
	}
	if o.Dir != "" {
		var err error
		if o.Dir, err = filepath.Abs(o.Dir); err != nil {
			return nil, err
		}
	}
	o = o.withDefaults()
	e := &exec{Options: o}
	start := ""
	if o.Elsewhere {
		var err error
		if start, err = filepath.Abs(o.Workspace); err != nil {
			return nil, err
		}
	}
	in, err := e.instance(context.Background(), o.Workflow, o.Inputs, nil, start)
	if err != nil {
		return nil, err
	}
	e.top = in
	return &Linked{Workflow: o.Workflow, in: in}, nil
}

// Run runs the workflow, once, like [Run]. It is not for a used workflow.
func (l *Linked) Run(ctx context.Context) (*Result, error) {
	e := l.in.exec
	if e.Dir == "" {
		return nil, steps.Invalid("", "the run has no folder")
	}
	if err := l.in.checkModels(ctx, l.Workflow.Steps); err != nil {
		return nil, err
	}
	if l.ran.Swap(true) {
		return nil, steps.Invalid("link it again", "the workflow was run already")
	}
	e.base, e.cut = context.WithCancelCause(context.WithoutCancel(ctx))
	defer e.cut(nil)
	ctx, e.abort = context.WithCancelCause(ctx)
	defer e.abort(nil)
	if err := e.open(); err != nil {
		return nil, err
	}
	defer e.close()
	return e.run(ctx), nil
}

// Uses returns a workflow that a step of this one uses, linked without its inputs, which are
// not known before the step runs.
func (l *Linked) Uses(w *workflows.Workflow) *Linked { return &Linked{Workflow: w, in: l.in.used(w)} }

// Workspace returns the folder in which the workflow works, absolute; "" for a used one.
func (l *Linked) Workspace() string { return l.in.at.workspace }

// Names returns the models that an agent asks, as far as they are known. It does not check
// that they exist. It returns an error if the expression that names them gives no text.
func (l *Linked) Names(a *workflows.Agent) (Naming, error) {
	return l.in.named(context.Background(), a)
}

// CheckPrice returns an error if the cost is bounded and the price of a model is not known.
func (l *Linked) CheckPrice(ref string) error { return l.in.checkPrice(ref) }

// Price returns what a model's use costs in the workflow; false if that is not known.
func (l *Linked) Price(ref string, u providers.Usage) (usd float64, known bool) {
	return l.in.price(ref, u)
}

// Budget returns what the workflow may spend. That of the options takes the place of the top one's cost.
func (l *Linked) Budget() workflows.Budget { return l.in.mayUse() }

// MaxParallel returns how many steps and elements of the run run at the same time.
func (l *Linked) MaxParallel() int { return l.in.exec.MaxParallel }

// Elements returns how many elements a foreach has, if its list is made of nothing but the inputs of the
// run. around are the names of the elements around it.
func (l *Linked) Elements(step *workflows.Step, around []string) (n int, known bool) {
	decidedLater := append([]string{"steps", "previous", "round", "index", "env", "run", "workflow"}, around...)
	if l.in.inputs == nil {
		decidedLater = append(decidedLater, "inputs")
	}
	if slices.ContainsFunc(decidedLater, step.Foreach.Mentions) {
		return 0, false
	}
	value, err := step.Foreach.Eval(workflows.Env{"inputs": l.in.inputs})
	if err != nil {
		return 0, false
	}
	list, err := listed(value)
	return len(list), err == nil
}

// Pattern returns the pattern of a rule with the values of its expressions, or as it is written if it needs
// more than the inputs of the run.
func (l *Linked) Pattern(r workflows.Rule) string {
	if r.Values != nil && l.in.inputs != nil {
		if text, err := r.Values.Text(workflows.Env{"inputs": l.in.inputs}); err == nil {
			return text
		}
	}
	return r.Pattern
}

// Scope returns the scope that [Options].Tools will get when the step runs. For a used
// workflow it is not known.
func (l *Linked) Scope(step *workflows.Step) ToolScope {
	return l.in.toolScope(context.Background(), l.in.at, step)
}

// CheckModels finds the models of all steps, as far as their references are known before anything runs.
// It returns an error if one does not exist.
func (l *Linked) CheckModels() error {
	return l.in.checkModels(context.Background(), l.Workflow.Steps)
}
