package runner

import (
	"context"
	"fmt"

	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// linkUsed makes the instance of the workflow that the step uses, with its inputs, and with
// the caller's rules above its own.
func (t *site) linkUsed(ctx context.Context) (*instance, error) {
	if t.inputs != nil {
		return t.linkWith(ctx, t.inputs)
	}
	given, err := evalAll(t.step.With, t.names(ctx, nil))
	if err != nil {
		return nil, err
	}
	used := t.step.Use.Workflow
	inputs, err := used.CheckInputs(given)
	if err != nil {
		return nil, steps.Invalid("", "uses %s: %w", used.Shown, t.exec.unquoted(err, given))
	}
	return t.linkWith(ctx, inputs)
}

// linkWith is linkUsed for inputs that are checked.
func (t *site) linkWith(ctx context.Context, inputs map[string]any) (*instance, error) {
	return t.exec.instance(ctx, t.step.Use.Workflow, inputs, t, t.at.workspace)
}

func evalAll(values map[string]*workflows.Value, names workflows.Env) (map[string]any, error) {
	all := make(map[string]any, len(values))
	for name, value := range values {
		v, err := value.Eval(names)
		if err != nil {
			return nil, &steps.Error{Kind: steps.KindInvalidWorkflow, Message: fmt.Sprintf("with.%s: %v", name, err), Err: err}
		}
		all[name] = v
	}
	return all, nil
}

func failed(err error) steps.Result {
	return steps.Result{Status: steps.Failed, StopReason: steps.ReasonError, Error: asError(err)}
}

// unprepared returns the result of work that could not begin because of err, or because its
// context ended meanwhile.
func unprepared(ctx context.Context, err error) steps.Result {
	if ctx.Err() != nil {
		return steps.Interrupted(context.Cause(ctx))
	}
	return failed(err)
}
