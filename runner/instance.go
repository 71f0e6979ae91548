package runner

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// An instance is a workflow with its inputs: the one that runs, or one that a step uses.
type instance struct {
	*workflows.Workflow
	exec   *exec
	caller *instance       // the one that uses this one; nil at the top
	user   journal.Address // the unit of the caller that uses it; zero at the top
	usedAs string          // the name under which the caller uses it; at the top [Options].Recipe
	inputs map[string]any
	dir    string   // of the file, absolute
	at     *workEnv // where its steps work, unless they name another folder
	within string   // the workspace in which it has to stay; "" if there is none
	layers []Layer  // of the workflows around this one, outermost first
	steps  sync.Map // what is prepared for each: *workflows.Step to *prepared

	unknown error // that the inputs are not known, in a dry run; nil: they are
}

// recipe returns the reference of the recipe that the workflow is part of; "" if it, and
// those around it, are named by paths.
func (in *instance) recipe() string {
	for ; in.caller != nil; in = in.caller {
		if filepath.Clean(in.File) != filepath.Join(in.caller.Dir, filepath.FromSlash(in.usedAs)) && strings.ContainsAny(in.usedAs, "@:") {
			return in.usedAs
		}
	}
	return in.usedAs
}

// instance links a workflow with its inputs. by is the step that uses it, nil at
// the top, and start the folder that it is used in.
func (e *exec) instance(ctx context.Context, w *workflows.Workflow, inputs map[string]any, by *site, start string) (*instance, error) {
	dir, err := filepath.Abs(w.Dir)
	if err != nil {
		return nil, err
	}
	in := &instance{Workflow: w, exec: e, inputs: inputs, at: e.namedEnv(w), dir: dir}
	in.at.tainted = w.Workspace != nil && in.rulesPath(w.Workspace.Words()) || by != nil && by.at.tainted
	if by == nil {
		in.usedAs = e.Recipe
	} else {
		in.caller, in.user, in.usedAs = by.in, by.unit, by.step.Use.Name
		in.layers = by.in.layersOf(by.step)
	}
	return in, in.evalEnv(ctx, start)
}

// evalEnv evaluates where the workflow works, and which variables it has there.
func (in *instance) evalEnv(ctx context.Context, start string) (err error) {
	in.within = start
	if in.at.workspace, err = in.folder(ctx, start); err != nil {
		return err
	}
	if err := checkFolder(in.at.workspace); err != nil {
		return err
	}
	if start != "" {
		if err := inside(in.at.workspace, start, fmt.Sprintf("uses %s: its workspace", in.Shown), "that of its caller"); err != nil {
			return err
		}
	}
	in.at, err = in.at.withValues(in.Env.Given, in.names(ctx), in.exec.Options)
	return err
}

// folder returns the folder in which the workflow works. The path of a used workflow starts at
// its caller's folder, any other path at the current one.
func (in *instance) folder(ctx context.Context, start string) (string, error) {
	if start == "" && in.exec.Workspace != "" {
		return filepath.Abs(in.exec.Workspace)
	}
	if in.Workspace == nil {
		return filepath.Abs(start)
	}
	path, err := in.Workspace.Text(in.names(ctx))
	if err != nil {
		return "", &steps.Error{Kind: steps.KindInvalidInput, Message: fmt.Sprintf("workspace: %v", err), Option: OptionWorkspace, Err: err}
	}
	return filepath.Abs(paths.In(start, path))
}

// namedEnv returns a workEnv without a folder, with the variables that a workflow names.
func (e *exec) namedEnv(w *workflows.Workflow) *workEnv {
	return (&workEnv{env: map[string]any{}}).withNames(w.Env.Names, e.Options)
}

// names returns the names that every expression of the workflow sees, except its steps.
// glob and file end with ctx.
func (in *instance) names(ctx context.Context) workflows.Env { return in.namesAt(ctx, in.at, nil) }

// namesAt returns the names in a workEnv of the workflow for a step, or for none if that is
// nil.
func (in *instance) namesAt(ctx context.Context, at *workEnv, step *workflows.Step) workflows.Env {
	names := workflows.Env{
		"inputs":   in.inputs,
		"env":      at.env,
		"run":      map[string]any{"id": in.exec.ID, "dir": in.exec.Dir},
		"workflow": map[string]any{"name": in.Name, "dir": in.dir},
	}
	for words := workflows.OwnWords; words <= workflows.Foreign; words++ {
		from := &reader{ctx: ctx, in: in, at: at, step: step, ruled: in.rulesPath(words)}
		names[words.Called("file")] = from.fileHere
		names[words.Called("glob")] = from.glob
	}
	return names
}

// outputs evaluates outputs, as many as can be evaluated.
func (t *site) outputs(ctx context.Context, all []workflows.Output) (Values, error) {
	ctx = context.WithoutCancel(ctx)
	values := Values{}
	var missing []error
	for _, output := range all {
		value, err := output.Value.Eval(t.names(ctx, nil))
		if err != nil {
			missing = append(missing, fmt.Errorf("output %q: %w", output.Name, err))
			continue
		}
		values = append(values, NamedValue{output.Name, value})
	}
	if err := errors.Join(missing...); err != nil {
		return values, &steps.Error{Kind: steps.KindInvalidOutput, Message: err.Error(), Err: err}
	}
	return values, nil
}

// find sets what the workflow's findings are in the result of a run, of which all else but
// its outputs is known, and whether some may be missing.
func (in *instance) find(ctx context.Context, t *site, results []*StepResult, of *Result) error {
	switch {
	case in.Findings == nil:
		return nil
	case of.Status == steps.Cancelled:
		of.Unfound = "the run was interrupted"
		return nil
	}
	found, err := in.Findings.Eval(t.names(context.WithoutCancel(ctx), nil))
	list, isList := found.([]any)
	switch {
	case err != nil:
		err = invalidFindings(fmt.Errorf("findings: %w", err))
	case !isList && found != nil:
		err = invalidFindings(errors.New("findings: expected a list of objects"))
	default:
		of.Findings, of.Unfound = append([]any{}, list...), in.unfound(results, of.Status)
		return checkFindings(list)
	}
	of.Unfound = "they can't be evaluated"
	return err
}

// unfound says which of the steps that the findings are of has not said all: it did not
// succeed, or was skipped in a run that did not. One that was skipped in a run that
// succeeded had nothing to do.
func (in *instance) unfound(results []*StepResult, status steps.Status) string {
	for _, i := range in.FindingsFrom {
		r := results[i]
		if r.Status != steps.Succeeded && (r.Status != steps.Skipped || status != steps.Succeeded) {
			return fmt.Sprintf("the status of step %q is %s", r.path, r.Status)
		}
	}
	return ""
}

// price returns what a model's use costs: what the service has charged, or else by the
// workflow's own price, or else by the known one. A used workflow can make a model dearer but
// not cheaper than its callers do, since their budgets bound it. Nor can a workflow from
// elsewhere make it cheaper than it is for whoever runs it, or price a model whose price
// nobody else knows.
func (in *instance) price(model string, u providers.Usage) (float64, bool) {
	cost, known := 0.0, false
	own, stated := in.Prices[model]
	foreign := in.exec.Foreign != nil && in.exec.Foreign(in.Workflow)
	switch {
	case in.caller != nil:
		cost, known = in.caller.price(model, u)
	case !stated || foreign:
		cost, known = in.exec.Price(model, u)
	}
	if stated && (known || !foreign) {
		cost, known = max(cost, StatedPrice(own).Cost(u)), true
	}
	return cost, known
}

// StatedPrice returns a price as a workflow states it.
func StatedPrice(p workflows.Price) providers.Price {
	price := providers.Price{Input: p.Input, Output: p.Output, CachedInput: p.CachedInput, CacheWrite: p.CacheWrite, CacheWrite1h: p.CacheWrite1h}
	for _, tier := range p.Above {
		price.Above = append(price.Above, providers.Tier{Tokens: tier.Tokens, Price: StatedPrice(tier.Price)})
	}
	return price
}

func (in *instance) ref() WorkflowRef {
	return WorkflowRef{Name: in.Name, File: filepath.ToSlash(in.File), SHA256: in.SHA256}
}
