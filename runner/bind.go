package runner

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// bind makes a function that does a Work. It takes models, tools, the environment and the
// folders from the host, compiled expressions from the linked workflow, and everything else
// from the Work. Nothing is evaluated.
func (t *site) bind(ctx context.Context, j Job) (func(context.Context) steps.Result, error) {
	w := j.Work
	output, err := t.in.prepared(t.step).output()
	if err != nil {
		return nil, err
	}
	if w.Script != nil {
		command := t.command(w, *w.Script)
		wish := HoldNot
		if w.Script.Held {
			wish = HoldAsked
		}
		if command.Sandbox, err = t.held(ctx, wish); err != nil {
			return nil, err
		}
		command.Output, command.Limits = output, limitsOf(w.Limits)
		return command.Run, nil
	}
	set, err := t.tools(ctx, w)
	if err != nil {
		return nil, err
	}
	if w.Agent == nil {
		call := &steps.ToolCall{
			Approval: j.approval(),
			Tools:    set, Tool: w.Tools[0].Name, Arguments: w.Arguments, Output: output,
			Hooks: steps.Hooks{Observe: t.observe},
		}
		return call.Run, nil
	}
	model, err := t.in.model(w.Agent.Models, t.in.around(w.Agent.ModelsOf), t.kept)
	if err != nil {
		return nil, err
	}
	agent := t.bindAgent(ctx, w)
	agent.Model, agent.Tools, agent.Output = model, set, output
	return func(ctx context.Context) steps.Result { return t.converse(ctx, agent, j) }, nil
}

func (t *site) bindAgent(ctx context.Context, w *Work) *steps.Agent {
	a := w.Agent
	return &steps.Agent{
		System: a.System, Prompt: a.Prompt, Params: providers.Params(a.Params),
		Stop: t.bindStop(ctx, a.Stop), Checks: t.bindChecks(w), MaxFixes: a.MaxFixes, FailOnDenied: a.FailOnDenied,
		Context: steps.Context{Fixed: a.FixedContext, Keep: t.wholeOutputs().create},
		Step:    t.path, Conversation: t.unit.String(), Closing: t.budget.closing,
	}
}

func (t *site) bindStop(ctx context.Context, s StopWork) steps.Stop {
	stop := s.Stop
	if when := t.step.Agent.Stop.When; when != nil {
		var made madeCalls
		stop.When = func(state steps.State) (bool, error) {
			made = made.with(state.Calls)
			return when.Holds(t.late(ctx, *s.When, stateNames(state, made)))
		}
	}
	return stop
}

// bindChecks returns the checks that run when the model says that it is done.
func (t *site) bindChecks(w *Work) []steps.Check {
	var checks []steps.Check
	for i, c := range w.Agent.Checks {
		compiled := t.step.Agent.Checks[i]
		run := t.checkExpression(c.LateWork, compiled.Expr)
		if c.Command {
			run = t.checkCommand(w, c, compiled.Script)
		}
		checks = append(checks, steps.Check{Name: c.Source, Run: run})
	}
	return checks
}

type checkFunc = func(ctx context.Context, output any, text string) (steps.Judgement, error)

func (t *site) checkExpression(c LateWork, compiled *workflows.Condition) checkFunc {
	return func(ctx context.Context, output any, text string) (steps.Judgement, error) {
		sees := t.late(ctx, c, workflows.Env{"output": output, "text": text})
		good, err := compiled.Holds(sees)
		if ctx.Err() != nil {
			return steps.Judgement{}, context.Cause(ctx)
		}
		if err != nil {
			return steps.Judgement{Problem: fmt.Sprintf("can't evaluate it: %v", err)}, nil
		}
		if good {
			return steps.Judgement{Good: true}, nil
		}
		problem := "it is false"
		for _, part := range compiled.Why(sees) {
			problem += "\n" + part.Line(t.exec.Mask.JSON)
		}
		return steps.Judgement{Problem: problem}, nil
	}
}

func (t *site) checkCommand(w *Work, c CheckWork, compiled *workflows.Script) checkFunc {
	return func(ctx context.Context, output any, text string) (j steps.Judgement, err error) {
		rendered, err := compiled.Render(t.late(ctx, c.LateWork, workflows.Env{"output": output, "text": text}))
		if ctx.Err() != nil {
			return j, context.Cause(ctx)
		}
		if err != nil {
			j.Problem = fmt.Sprintf("can't build its command: %v", err)
			return j, nil
		}
		j.Name = compiled.Shown(rendered)
		command := t.command(w, ScriptWork{Source: rendered.Source, Values: rendered.Values})
		command.TruncateText, command.Spill = true, t.wholeOutputs().next
		if command.Sandbox, err = t.held(ctx, wishOf(c.Held)); err != nil {
			return j, err
		}
		r := command.Run(ctx)
		said := "\n" + strings.TrimSpace(r.Stdout+"\n"+r.Stderr)
		switch {
		case r.Status == steps.Failed && steps.KindOf(r.Error) == steps.KindDenied:
			j.Problem = strings.TrimSpace(r.Error.Message + said)
		case r.Status == steps.Succeeded:
			j.Good = true
		case r.ExitCode != nil && r.Status == steps.Failed:
			j.Problem = strings.TrimSpace(fmt.Sprintf("exit status %d", *r.ExitCode) + said)
		default:
			return j, r.Error
		}
		return j, nil
	}
}

// late returns the names for an expression that is evaluated while the step runs: the values
// in the Work, those that only the host knows, and those that have come up since.
func (t *site) late(ctx context.Context, work LateWork, since workflows.Env) workflows.Env {
	names := t.names(ctx, nil)
	for _, of := range []map[string]any{work.Sees, since} {
		for name, value := range of {
			names[name] = value
		}
	}
	return names
}

// wishOf returns the wish that held expresses; nil is the default.
func wishOf(held *bool) Wish {
	switch {
	case held == nil:
		return HoldDefault
	case *held:
		return HoldAsked
	}
	return HoldNot
}

// held returns the sandbox of the step's own commands; nil if they have none.
func (t *site) held(ctx context.Context, wish Wish) (*steps.Sandbox, error) {
	if t.exec.Hold == nil || wish == HoldNot && t.in.within == "" {
		return nil, nil
	}
	return t.exec.Hold(t.in.toolScope(ctx, t.at, t.step), wish)
}

// command returns the command that runs a script.
func (t *site) command(w *Work, script ScriptWork) *steps.Command {
	whole := t.wholeOutputs()
	command := &steps.Command{
		Source: script.Source, Dir: filepath.Join(t.in.top().at.workspace, filepath.FromSlash(w.Folder)), Env: t.exec.commands(w.Variables, w.Given),
		Spill: func(stream string) (io.WriteCloser, string, error) { return whole.direct(1, stream) }, Mask: t.exec.Mask,
	}
	for _, v := range script.Values {
		command.Values = append(command.Values, steps.Variable(v))
	}
	return command
}
