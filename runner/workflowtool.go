package runner

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/runner/history"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A workflowTool is a tool whose calls run a workflow, each as a unit inside the step that offers it.
type workflowTool struct {
	step      *workflows.Step
	workspace string
}

// WorkflowTool returns the tool whose calls run what a step uses, under the rules of the step that offers it.
// It only works in a run.
func WorkflowTool(step *workflows.Step, workspace string) tools.Tool {
	return workflowTool{step, workspace}
}

func (w workflowTool) Spec() tools.Spec {
	used := w.step.Use.Workflow
	return tools.Spec{Name: w.step.Name, Description: strings.TrimSpace(used.Description), Parameters: used.Parameters(), Keep: tools.KeepBoth}
}

// Effects returns everything, unless all that the workflow can do is to read.
func (w workflowTool) Effects(json.RawMessage) tools.Effects {
	if w.step.Use.Workflow.MayWrite() {
		return tools.Everything()
	}
	return tools.Effects{Reads: []string{w.workspace}}
}

// Continues implements [tools.Continuer]: the journal has what was done of a call.
func (w workflowTool) Continues() {}

// Run runs the workflow. Its failure is the answer to the call, unless the next call would fail as well. A
// call in which something waits for a person, or that is ended with its step, stays open.
func (w workflowTool) Run(ctx context.Context, arguments json.RawMessage, out *tools.Output) (tools.Result, error) {
	inputs, err := w.inputs(arguments)
	if err != nil {
		return tools.Fail(err)
	}
	caller, _ := ctx.Value(unitKey{}).(*unit)
	if caller == nil {
		return tools.Fail(errors.New("the tool works only in a run"))
	}
	r := caller.call(ctx, w.step, inputs)
	result := tools.Result{Spent: r.Used.Amount()}
	switch {
	case r.Status == steps.Succeeded:
		return result, writeOutputs(out, w.step.Use.Workflow, r)
	case r.Status == steps.Waiting || ctx.Err() != nil:
		result.Open = true
		return result, nil
	case r.Status == steps.Cancelled:
		<-ctx.Done() // whatever ended the workflow ends the step
		result.Open = true
		return result, nil
	case r.fatal && r.Error.BudgetOf != restOf(caller.site):
		result.Open = true
		return result, r.Error
	}
	result.Failed, result.Note = true, failureOf(r)
	return result, nil
}

// inputs returns the inputs that the arguments of a call give, and defaults.
func (w workflowTool) inputs(arguments json.RawMessage) (map[string]any, error) {
	d := json.NewDecoder(bytes.NewReader(arguments))
	d.UseNumber()
	var given map[string]any
	if err := d.Decode(&given); err != nil {
		return nil, err
	}
	jsonline.ExactNumbers(given)
	return w.step.Use.Workflow.CheckInputs(given)
}

// writeOutputs writes the answer to a call: the outputs as JSON, or the text of a workflow without outputs.
func writeOutputs(out *tools.Output, w *workflows.Workflow, r *StepResult) error {
	text, output, err := r.said()
	if err == nil && len(w.Outputs) > 0 {
		var data []byte
		data, err = jsonline.Encode(output)
		text = string(data)
	}
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, text)
	return err
}

// failureOf says why a workflow has failed, and in which of its steps.
func failureOf(r *StepResult) string {
	message := r.Error.Message
	if from := innermost(r); from != r {
		message = fmt.Sprintf("step %q: %s", strings.TrimPrefix(from.path, r.path+"/"), message)
	}
	return "Failed: " + message
}

type unitKey struct{}

// call runs a workflow for a call of the step's model, as a unit inside the step, unless an earlier process
// has done so. Meanwhile the step has no slot: what is inside has those that it needs.
func (u *unit) call(ctx context.Context, step *workflows.Step, inputs map[string]any) *StepResult {
	index := tools.IndexOf(ctx)
	inner := &unit{earlier: &history.Unit{}, isElement: true}
	if u.continues {
		inner.earlier = u.historyOfElement(u.historyOfStep(u.earlier, step.Name), index)
	}
	inside := u.inside()
	inside.budget = u.restBudget(ctx, inner.earlier)
	inside.around, inside.unended, inside.beside, inside.forQuestions = ctx, ctx, ctx, ctx
	inside.always = u.always || u.step.If.UsesAlways()
	inner.site = inside.ofStep(step).element(index, inputs)
	inner.inputs = inputs
	u.lend()
	r := inner.recall()
	if r == nil {
		r = inner.run()
	}
	u.regain(ctx, r)
	return r
}

// restOf names the limits of a step, of which a call may use what is left, as a budget is named.
func restOf(t *site) string { return t.unit.String() + ":stop" }

// restBudget returns the budget of what a call of the step runs: the step's own limits bound it. All calls
// of a turn share one. What a call has spent that continues counts.
func (u *unit) restBudget(ctx context.Context, earlier *history.Unit) *budget {
	rest := steps.RestOf(ctx)
	if rest == nil {
		return u.budget
	}
	u.lending.Lock()
	defer u.lending.Unlock()
	if u.rest != rest {
		u.rest, u.limits = rest, u.budget.open(workflows.Budget{Tokens: rest.Tokens, CostUSD: rest.CostUSD}, restOf(u.site), "")
		u.limits.stops, u.limits.overspent = true, true // that they are overspent is said by the step
	}
	u.limits.room.L.Lock()
	defer u.limits.room.L.Unlock()
	u.limits.spent = u.limits.spent.Plus(earlier.Spent())
	return u.limits
}

// lend gives back the slot of the unit, and its place, while calls of it run others, which need them.
func (u *unit) lend() {
	u.lending.Lock()
	defer u.lending.Unlock()
	if u.calls++; u.calls == 1 && !u.apart {
		u.apart = true
		u.release(false)
	}
}

// regain takes the slot and the place again after the last of these calls, with its result, if the conversation goes on.
func (u *unit) regain(ctx context.Context, r *StepResult) {
	u.lending.Lock()
	defer u.lending.Unlock()
	if u.calls--; u.calls == 0 && r.Status != steps.Waiting {
		u.apart = u.acquire(ctx) != nil
	}
}

// sumOfTool returns the digest of a tool that the workflow defines, or of the workflow that it is; "" for any
// other tool.
func (in *instance) sumOfTool(entry workflows.ToolEntry) string {
	if tool := in.CustomTools[entry.Name]; tool != nil {
		return tool.Sum
	}
	if entry.Runs == nil {
		return ""
	}
	all := sha256.New()
	fmt.Fprintln(all, entry.Runs.Use.Workflow.Description) // never returns an error
	sumInside(all, entry.Runs)
	return hex.EncodeToString(all.Sum(nil))
}

// sumInside writes the digests of a step and of those inside it.
func sumInside(to io.Writer, step *workflows.Step) {
	fmt.Fprintln(to, step.Path, sumOf(step))
	if step.Agent != nil && step.Agent.Prompt != nil { // which may be in a file
		fmt.Fprintln(to, step.Agent.Prompt.Source())
	}
	for _, inner := range step.Inside() {
		sumInside(to, inner)
	}
}
