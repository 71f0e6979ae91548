package runner

import (
	"context"
	"path/filepath"

	"github.com/a-seed-11b9befa/flow/workflows"
)

// A Linked workflow is one of which is known, before anything runs, what its
// names stand for. It is what a plan shows.
type Linked struct {
	Workflow *workflows.Workflow
	in       *instance
}

// Link links the workflow of the options with its inputs. Nothing runs, and no
// folder is made. An error is one that Run would give.
func Link(o Options) (*Linked, error) {
	o = o.withDefaults()
	r := &run{Options: o, masker: masker{mask: o.Mask}}
	start := ""
	if o.Elsewhere {
		var err error
		if start, err = filepath.Abs(o.Workspace); err != nil {
			return nil, err
		}
	}
	in, err := r.instance(context.Background(), o.Workflow, o.Inputs, nil, start)
	if err != nil {
		return nil, err
	}
	return &Linked{o.Workflow, in}, nil
}

// Run runs what is linked, once, as [Run] does. It is not for a workflow that is
// used.
func (l *Linked) Run(ctx context.Context) (*Result, error) {
	r := l.in.run
	if err := l.in.checkModels(ctx); err != nil {
		return nil, err
	}
	r.base, r.cut = context.WithCancelCause(context.WithoutCancel(ctx))
	defer r.cut(nil)
	ctx, r.abort = context.WithCancelCause(ctx)
	defer r.abort(nil)
	if err := r.open(l.in); err != nil {
		return nil, err
	}
	defer r.close()
	return r.run(ctx, l.in), nil
}

// Uses is a workflow that a step of this one uses. Its inputs are known only when
// the step runs.
func (l *Linked) Uses(w *workflows.Workflow) *Linked { return &Linked{w, l.in.used(w)} }

// Workspace is the folder that the workflow works in, absolute; "" for one that
// is used.
func (l *Linked) Workspace() string { return l.in.at.workspace }

// Names says whom an agent asks, as far as that is known: nobody looks whether
// there is such a model. An error says that what names it is no text.
func (l *Linked) Names(a *workflows.Agent) (Naming, error) {
	return l.in.named(context.Background(), a)
}

// LimitsCost reports whether what the workflow may cost is bounded, by itself, by
// one around it or by the options.
func (l *Linked) LimitsCost() bool { return l.in.limitsCost() }

// CheckPrice refuses a model whose price is not known where the cost is bounded.
func (l *Linked) CheckPrice(ref string) error { return l.in.checkPrice(ref) }

// Scope is where the tools of a step work, as [Options].Tools is given it when the
// step runs. Of a workflow that is used it is not known.
func (l *Linked) Scope(step *workflows.Step) ToolScope {
	return l.in.toolScope(context.Background(), l.in.at, step)
}

// Models returns the references of the models that an agent asks, the first one
// first, each of them found; nil where they are known only when the step runs.
func (l *Linked) Models(a *workflows.Agent) ([]string, error) {
	return l.in.foundModels(context.Background(), a)
}
