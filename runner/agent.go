package runner

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// agent runs the step's agent: one conversation, whose messages are written to
// the transcript as they come.
func (t *site) agent(ctx context.Context) steps.Result {
	agent, err := t.newAgent(ctx)
	if err != nil {
		return unprepared(ctx, err)
	}
	transcript, err := t.run.folder.transcript(t.folder)
	if err != nil {
		return failed(err)
	}
	defer transcript.Close()
	agent.Hooks = t.hooks(transcript)
	return agent.Run(ctx)
}

// newAgent renders the step.
func (t *site) newAgent(ctx context.Context) (*steps.Agent, error) {
	spec, names := t.step.Agent, t.names(ctx, nil)
	named, err := t.in.asked(ctx, spec, names)
	if err != nil {
		return nil, mistake("model", err)
	}
	model, err := t.in.model(named)
	if err != nil {
		return nil, err
	}
	prompt, err := spec.Prompt.Text(names)
	if err != nil {
		return nil, mistake("prompt", err)
	}
	system, err := t.system(names)
	if err != nil {
		return nil, err
	}
	output, err := t.output()
	if err != nil {
		return nil, err
	}
	set, err := t.tools(ctx)
	if err != nil {
		return nil, err
	}
	return &steps.Agent{
		Model: model, System: system, Prompt: prompt, Params: providers.Params(spec.Params), Tools: set,
		Stop: t.stop(ctx), Output: output, Checks: t.checks(), MaxFixes: spec.MaxFixes, FailOnDenied: spec.FailOnDenied,
		Context: steps.Context{Fixed: spec.Context.Fixed, Keep: t.run.folder.spill},
		Step:    t.path, Conversation: t.conversation,
	}, nil
}

// system is the system prompt: the workflow's or the step's own words, and the
// files of instructions.
func (t *site) system(names workflows.Env) (string, error) {
	var parts []string
	if t.step.Agent.System != nil {
		text, err := t.step.Agent.System.Text(names)
		if err != nil {
			return "", mistake("system", err)
		}
		parts = append(parts, text)
	}
	for _, file := range t.step.Agent.Instructions {
		path, err := file.Text(names)
		if err != nil {
			return "", mistake("instructions", err)
		}
		text, err := t.in.file(absolute(t.in.dir, path))
		if err != nil {
			return "", mistake("instructions", err)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "\n\n"), nil
}

func (t *site) stop(ctx context.Context) steps.Stop {
	s := t.step.Agent.Stop
	stop := steps.Stop{
		MaxTurns: s.MaxTurns, MaxToolCalls: s.MaxToolCalls, MaxTokens: s.MaxTokens, MaxCostUSD: s.MaxCostUSD,
		Timeout: s.Timeout, RepeatedCalls: s.RepeatedCalls, OnTool: s.OnTool, AcceptLimit: s.AcceptLimit,
	}
	if s.When != nil {
		var made madeCalls
		stop.When = func(state steps.State) (bool, error) {
			made = made.with(state.Calls)
			return s.When.Holds(t.names(ctx, stateNames(state, made)))
		}
	}
	return stop
}

// stateNames are what stop.when sees besides the rest.
func stateNames(s steps.State, made madeCalls) workflows.Env {
	return workflows.Env{
		"turn": s.Turn, "text": s.Text, "finished": s.Finished, "cost_usd": s.CostUSD, "usage": usageRecord(s.Usage),
		"calls": made.named,
	}
}

// madeCalls are the calls of a conversation as expressions see them. There are
// only ever more of them.
type madeCalls []any

func (m madeCalls) with(calls []steps.Called) madeCalls {
	for _, call := range calls[len(m):] {
		m = append(m, map[string]any{
			"name": call.Tool, "status": string(call.Status), "turn": call.Turn, "arguments": argumentsOf(call),
		})
	}
	return m
}

// named are the calls of one tool, or all of them.
func (m madeCalls) named(names ...string) []any {
	found := []any{}
	for _, call := range m {
		if len(names) == 0 || names[0] == call.(map[string]any)["name"] {
			found = append(found, call)
		}
	}
	return found
}

// argumentsOf are a call's arguments as expressions see them. What was no
// object was not run either.
func argumentsOf(call steps.Called) map[string]any {
	arguments := map[string]any{}
	decoder := json.NewDecoder(bytes.NewReader(call.Arguments))
	decoder.UseNumber()
	if decoder.Decode(&arguments) != nil {
		return map[string]any{}
	}
	tools.ExactNumbers(arguments)
	return arguments
}

// hooks tie the agent to the run: its events, its transcript, its budget.
func (t *site) hooks(transcript *os.File) steps.Hooks {
	return steps.Hooks{
		Observe: func(e steps.Event) { t.tell(Event{}, e) },
		Record: func(m providers.Message) {
			line, err := m.MarshalJSON()
			if err == nil {
				_, err = transcript.Write(append(t.run.Mask.JSON(line), '\n'))
			}
			if err != nil {
				t.run.lost(fmt.Sprintf("transcript of step %q", t.path), err)
			}
		},
		Price:   t.in.price,
		Reserve: t.in.budget.reserve,
	}
}

func mistake(where string, err error) error {
	return &steps.Error{Kind: steps.KindInvalidWorkflow, Message: fmt.Sprintf("%s: %v", where, err), Err: err}
}
