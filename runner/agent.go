package runner

import (
	"context"
	"errors"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	wellknown "github.com/a-seed-11b9befa/flow/internal/known"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// converse runs the conversation of an agent. One that was cut off continues where it was.
func (t *site) converse(ctx context.Context, agent *steps.Agent, j Job) steps.Result {
	speech := &maskedSpeech{mask: t.exec.Mask, tell: t.observe, open: map[int]*openText{}}
	agent.Hooks = steps.Hooks{
		Observe:  speech.observe,
		NoDeltas: !t.exec.Deltas,
		Remember: j.Remember,
		Price:    t.in.price,
		Reserve:  j.Reserve,
	}
	return agent.From(ctx, j.Past)
}

// stateNames returns what stop.when sees besides the rest.
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

// named returns the calls of one tool, which may be named as its server names it, or all of them.
func (m madeCalls) named(names ...string) []any {
	found := []any{}
	for _, call := range m {
		if len(names) == 0 || wellknown.PlainToolName(names[0]) == call.(map[string]any)["name"] {
			found = append(found, call)
		}
	}
	return found
}

// argumentsOf returns a call's arguments as expressions see them; none if they were not an
// object, since such a call did not run either.
func argumentsOf(call steps.Called) map[string]any {
	value, err := jsonline.DecodeExact(call.Arguments)
	if arguments, is := value.(map[string]any); is && err == nil {
		return arguments
	}
	return map[string]any{}
}

// mistake is the error of what stands under a key. An expression that failed says itself where it stands.
func mistake(key string, err error) error {
	message := err.Error()
	if !errors.As(err, new(*workflows.FailedExpression)) {
		message = key + ": " + message
	}
	return &steps.Error{Kind: steps.KindInvalidWorkflow, Message: message, Err: err}
}
