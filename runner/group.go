package runner

import (
	"context"
	"fmt"
	"slices"

	"github.com/a-seed-11b9befa/flow/runner/record"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// group runs the steps of a group, again from the top until its condition
// holds.
func (t *site) group(ctx context.Context) *StepResult {
	group := t.step.Group
	t.beginOnce()
	if group.Until == nil {
		return t.gathered(ctx, t.inside().list(ctx, group.Steps))
	}
	result := t.gathered(ctx, nil)
	var spent spending
	past := t.run.history.in(t.unit)
	wanting := repeat(ctx, group.MaxRounds+past.rounds, func(n int) outcome {
		if n > 1 && !t.putAside("round", n-1) {
			return bad
		}
		scope := t.inside().again(n)
		known := n <= len(past.untils)
		scope.frozen = scope.frozen || known && !past.untils[n-1]
		result = t.gathered(ctx, scope.list(ctx, group.Steps))
		result.Rounds = n
		spent = spent.and(&result.Result)
		result.spent(spent)
		if known && result.Status == steps.Succeeded && !slices.ContainsFunc(result.inner, (*StepResult).isFresh) {
			return map[bool]outcome{true: good, false: again}[past.untils[n-1]]
		}
		o := result.judge(ctx, group.Until, scope)
		if o != bad {
			t.decided(record.Record{About: record.Until, Count: n, Holds: o == good}, nil)
		}
		return o
	})
	switch {
	case wanting && ctx.Err() != nil:
		result.interrupt(ctx)
	case wanting:
		result.Status, result.StopReason, result.Partial = steps.Stopped, steps.ReasonMaxRounds, true
		result.Error = &steps.Error{
			Kind: steps.KindLimit, Message: fmt.Sprintf("max_rounds: %q did not hold after %d rounds", group.Until.Source(), result.Rounds),
		}
	}
	return result
}

// judge is the outcome of a round: another one is wanted while the condition
// does not hold.
func (r *StepResult) judge(ctx context.Context, until *workflows.Condition, scope *scope) outcome {
	if r.Status != steps.Succeeded {
		return bad
	}
	done, err := until.Holds(scope.names(ctx, nil))
	switch {
	case err != nil && ctx.Err() != nil:
		r.interrupt(ctx)
		return bad
	case err != nil:
		r.Status, r.StopReason = steps.Failed, steps.ReasonError
		r.Error = &steps.Error{Kind: steps.KindInvalidWorkflow, Message: fmt.Sprintf("until: %v", err), Err: err}
		return bad
	case done:
		return good
	}
	return again
}

// isFresh reports whether a step has run in this process.
func (r *StepResult) isFresh() bool { return !r.kept && r.Status != steps.Skipped }

// gathered makes of the results of inner steps that of the one around them:
// what they used, the output of the last one, and the first failure.
func (t *site) gathered(ctx context.Context, inner []*StepResult) *StepResult {
	result := t.result()
	result.inner = inner
	result.Status, result.StopReason = steps.Succeeded, steps.ReasonCompleted
	if last := lastRun(inner); last != nil {
		if err := result.repeats(last); err != nil {
			result.Result = failed(err)
		}
	}
	var spent spending
	for _, r := range inner {
		spent = spent.and(&r.Result)
	}
	result.spent(spent)
	if failed := firstFailure(inner); failed != nil {
		result.Status, result.StopReason, result.Error, result.fatal = failed.Status, failed.StopReason, failed.Error, failed.fatal
	}
	if ctx.Err() != nil && result.Status == steps.Succeeded {
		result.interrupt(ctx)
	}
	return result
}

// interrupt says that the step was ended by its context.
func (r *StepResult) interrupt(ctx context.Context) {
	end := ended(context.Cause(ctx))
	r.Status, r.StopReason, r.Error = end.Status, end.StopReason, end.Error
}

// use runs another workflow.
func (t *site) use(ctx context.Context) *StepResult {
	in, err := t.linkUsed(ctx)
	if err != nil {
		return t.leaf(unprepared(ctx, err))
	}
	t.beginOnce()
	scope := t.entering(in)
	in.budget.spent = t.run.history.spentIn(t.unit)
	inner := scope.list(ctx, in.Steps)
	result := t.gathered(ctx, inner)
	if result.fatal && in.owns(result.Error) {
		result.fatal = false
	}
	outputs, err := in.outputs(ctx, scope)
	if err != nil && result.Status == steps.Succeeded {
		result.Status, result.StopReason, result.Error = steps.Failed, steps.ReasonInvalidOutput, asError(err)
	}
	result.Output = outputs.asMap()
	if len(outputs) > 0 {
		result.Text, result.whole = outputs.text(), nil
	}
	return result
}

// linkUsed makes the instance of the workflow that the step uses: with inputs
// of its own, and the caller's rules above its own.
func (t *site) linkUsed(ctx context.Context) (*instance, error) {
	given, err := evalAll(t.step.Use.With, t.names(ctx, nil))
	if err != nil {
		return nil, err
	}
	used := t.step.Use.Workflow
	inputs, err := used.CheckInputs(given)
	if err != nil {
		return nil, &steps.Error{Kind: steps.KindInvalidInput, Message: fmt.Sprintf("uses %s: %v", used.File, err), Err: err}
	}
	in, err := t.run.instance(ctx, used, inputs, t.in, t.at.workspace)
	if err != nil {
		return nil, err
	}
	in.layers = append(t.in.layers[:len(t.in.layers):len(t.in.layers)], Layer{Workflow: t.in.Workflow, Step: t.step.Use.Permissions, Workspace: t.in.at.workspace})
	return in, nil
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

// unprepared is the result of work that could not begin, for err, or because
// its context ended while it was made ready.
func unprepared(ctx context.Context, err error) steps.Result {
	if ctx.Err() != nil {
		return *ended(context.Cause(ctx))
	}
	return failed(err)
}
