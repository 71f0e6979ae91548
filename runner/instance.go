package runner

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"sync"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// An instance is one workflow with its inputs: the one that runs, or one that
// a step uses.
type instance struct {
	*workflows.Workflow
	run       *run
	caller    *instance // that uses this one; nil at the top
	inputs    map[string]any
	env       map[string]any
	dir       string // of the file, absolute
	workspace string
	layers    []Layer // of the workflows around this one, outermost first
	budget    *budget
	steps     sync.Map // what is prepared for each: *workflows.Step to *prepared
}

// instance links a workflow with its inputs. around is what uses it, nil at
// the top.
func (r *run) instance(ctx context.Context, w *workflows.Workflow, inputs map[string]any, around *instance) (*instance, error) {
	dir, err := filepath.Abs(w.Dir)
	if err != nil {
		return nil, err
	}
	in := &instance{Workflow: w, run: r, caller: around, inputs: inputs, env: r.variables(w), dir: dir}
	cost := w.Budget.CostUSD
	if around == nil {
		in.budget = newBudget(w.Budget.Tokens, cost, in.price, nil)
		in.budget.option = OptionBudgetUSD
		if r.BudgetUSD != nil {
			in.budget.costUSD = max(*r.BudgetUSD, math.SmallestNonzeroFloat64) // 0 would be no bound
		}
	} else {
		in.budget = newBudget(w.Budget.Tokens, cost, in.price, around.budget)
	}
	in.budget.warn = func(message string) { r.emit(Event{}, steps.Event{Type: steps.Warning, Message: message}) }
	if in.workspace, err = in.works(ctx, around); err != nil {
		return nil, err
	}
	return in, checkFolder(in.workspace)
}

// works is the folder that the workflow works in. That of a used workflow starts
// at its caller's, any other at the current one.
func (in *instance) works(ctx context.Context, around *instance) (string, error) {
	start := ""
	if around != nil {
		start = around.workspace
	} else if in.run.Workspace != "" {
		return filepath.Abs(in.run.Workspace)
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

// variables are the variables of the environment that a workflow names, nil
// where one is not set.
func (r *run) variables(w *workflows.Workflow) map[string]any {
	env := map[string]any{}
	for _, name := range w.Env {
		env[name] = nil
		if value, ok := r.LookupEnv(name); ok {
			env[name] = value
		}
	}
	return env
}

// names are what every expression of the workflow sees, but for its steps. ctx
// ends what they look for.
func (in *instance) names(ctx context.Context) workflows.Env {
	return workflows.Env{
		"inputs":   in.inputs,
		"env":      in.env,
		"run":      map[string]any{"id": in.run.ID, "dir": in.run.Dir},
		"workflow": map[string]any{"name": in.Name, "dir": in.dir},
		"file":     in.file,
		"glob":     func(pattern string) ([]string, error) { return glob(ctx, in.workspace, pattern, mostGlobVisits) },
	}
}

// scope returns the scope of the workflow's own steps.
func (in *instance) scope(r *run) *scope {
	var none *timeLeft
	return &scope{run: r, in: in, known: &known{}, timeLeft: none.within(in)}
}

// outputs evaluates what the workflow returns. What can be known is, also
// where one of them can't, or where the workflow was ended.
func (in *instance) outputs(ctx context.Context, s *scope) (Values, error) {
	ctx = context.WithoutCancel(ctx)
	values := Values{}
	var errs []error
	for _, output := range in.Outputs {
		value, err := output.Value.Eval(s.names(ctx, nil))
		if err != nil {
			errs = append(errs, fmt.Errorf("output %q: %w", output.Name, err))
			continue
		}
		values = append(values, NamedValue{output.Name, value})
	}
	if err := errors.Join(errs...); err != nil {
		return values, &steps.Error{Kind: steps.KindInvalidOutput, Message: err.Error(), Err: err}
	}
	return values, nil
}

// findings evaluates what the workflow names as its findings.
func (in *instance) findings(ctx context.Context, s *scope) (any, error) {
	found, err := in.Findings.Eval(s.names(context.WithoutCancel(ctx), nil))
	if err != nil {
		return nil, &steps.Error{Kind: steps.KindInvalidOutput, Message: fmt.Sprintf("findings: %v", err), Err: err}
	}
	return found, nil
}

// price is what a model's use costs: what the service has charged, else by the
// workflow's own price, of a script too, else as is known.
func (in *instance) price(model string, u providers.Usage) (float64, bool) {
	if p, ok := in.Prices[model]; ok {
		return providers.Price{Input: p.Input, Output: p.Output, CachedInput: p.CachedInput, CacheWrite: p.CacheWrite}.Cost(u), true
	}
	return in.run.Price(model, u)
}

func (in *instance) ref() WorkflowRef {
	return WorkflowRef{Name: in.Name, File: filepath.ToSlash(in.File), SHA256: in.SHA256}
}
