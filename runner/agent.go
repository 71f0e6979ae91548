package runner

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// converse runs an agent: one conversation, whose messages are written to the
// transcript as they come.
func (t *site) converse(ctx context.Context, agent *steps.Agent) steps.Result {
	past, err := t.run.history.past(t.run.history.in(t.unit))
	if err != nil {
		return failed(err)
	}
	transcript, err := t.run.folder.transcript(t.folder)
	if err != nil {
		return failed(err)
	}
	defer transcript.Close()
	agent.Hooks = t.hooks(transcript)
	return agent.From(ctx, past)
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
		Remember: t.remember,
		Price:    t.in.price,
		Reserve:  t.in.budget.reserve,
	}
}

func mistake(where string, err error) error {
	return &steps.Error{Kind: steps.KindInvalidWorkflow, Message: fmt.Sprintf("%s: %v", where, err), Err: err}
}
