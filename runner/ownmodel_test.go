package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner/history"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

// A mistake in a model of the program's own is told with the model's name, and costs no more
// than the step: the journal takes what it said.
func TestMistakesOfOwnModels(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		kind       steps.Kind
		answer     func() (providers.Message, error)
	}{
		{"a block without a type", `own/model: block 1 of the answer has the unknown type ""`, steps.KindProvider, func() (providers.Message, error) {
			m := says("half a")
			m.Blocks = append(m.Blocks, providers.Block{Text: " sentence"})
			return m, nil
		}},
		{"no finish", `own/model: the answer has the unknown finish ""`, steps.KindProvider, func() (providers.Message, error) {
			return providers.UserText("half a"), nil
		}},
		{"a deadline of its own", "own/model: dial: context deadline exceeded", steps.KindNetwork, func() (providers.Message, error) {
			return says("half a"), fmt.Errorf("dial: %w", context.DeadlineExceeded)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tr := newTrial(t)
			tr.answer = func(context.Context, providers.Request) (providers.Message, error) { return tt.answer() }
			r := tr.run("name: t\nmodel: own/model\nsteps:\n  - {id: a, prompt: hi, on_error: continue}\n  - {id: b, needs: [a], run: echo done}\n")
			a := r.Steps[0]
			if r.Status != steps.Succeeded || a.Status != steps.Failed || a.Text != "half a" || !a.Partial {
				t.Errorf("%s: %s, %q, partial %t", r.Status, a.Status, a.Text, a.Partial)
			}
			if a.Error == nil || a.Error.Kind != tt.kind || a.Error.Message != tt.want {
				t.Errorf("%+v, want %s: %s", a.Error, tt.kind, tt.want)
			}
		})
	}
}

// A time limit of what a program gives to a run is not the run's: the step fails with its words,
// and may be tried again.
func TestTimeLimitsOfOthers(t *testing.T) {
	late := fmt.Errorf("dial x.example: %w", context.DeadlineExceeded)
	for _, tt := range []struct {
		name, want string
		kind       steps.Kind
		tools      func(context.Context, ToolScope) (Toolbox, error)
	}{
		{"who makes the tools", "dial x.example: context deadline exceeded", steps.KindInternal, func(context.Context, ToolScope) (Toolbox, error) {
			return Toolbox{}, late
		}},
		{"a tool", `tool "look": dial x.example: context deadline exceeded`, steps.KindTool, func(context.Context, ToolScope) (Toolbox, error) {
			return Toolbox{Guard: allowAll{}, Find: func(name string) []tools.Tool { return []tools.Tool{lateTool{echo{name}, late}} }}, nil
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tr := newTrial(t)
			tr.change = func(o *Options) { o.Tools = tt.tools }
			r := tr.run("name: t\nsteps:\n  - {id: a, tool: look, timeout: 1h, retry: {max_attempts: 2, backoff: 1ms}}\n")
			if r.Status != steps.Failed || r.Error.Kind != tt.kind || r.Error.Message != tt.want {
				t.Errorf("%s: %+v, want %s: %s", r.Status, r.Error, tt.kind, tt.want)
			}
			if want := map[bool]int{true: 2, false: 1}[tt.kind == steps.KindTool]; r.Steps[0].Attempts != want {
				t.Errorf("%d attempts, want %d", r.Steps[0].Attempts, want)
			}
		})
	}
}

// A lateTool fails with an error.
type lateTool struct {
	echo
	err error
}

func (l lateTool) Run(context.Context, json.RawMessage, *tools.Output) (tools.Result, error) {
	return tools.Result{}, l.err
}

// The end of a step tells its numbers, which are those of its result.
func TestNumbersOfAStep(t *testing.T) {
	tr := newTrial(t)
	tr.change = func(o *Options) {
		o.Price = func(model string, u providers.Usage) (float64, bool) {
			return float64(u.Total()) / 100, model != "own/dear"
		}
		found := o.Tools
		o.Tools = func(ctx context.Context, scope ToolScope) (Toolbox, error) {
			box, err := found(ctx, scope)
			box.Guard = denyAll{}
			return box, err
		}
	}
	tr.answer = func(_ context.Context, req providers.Request) (answer providers.Message, _ error) {
		answer = says("done")
		if len(req.Messages) == 1 {
			answer = calls("look", "look")
		}
		answer.Usage = providers.Usage{InputTokens: 40, OutputTokens: 10}
		return answer, nil
	}
	r := tr.run(`
name: t
steps:
  - {id: cheap, model: own/cheap, prompt: hi, tools: [look]}
  - {id: dear, model: own/dear, prompt: hi, tools: [look]}
  - {id: none, run: 'true'}
`)
	want := map[string]history.Counts{
		"cheap": {Turns: 2, Calls: 2, Denied: 2, Tokens: 100, CostUSD: 1},
		"dear":  {Turns: 2, Calls: 2, Denied: 2, Tokens: 100, Unpriced: true},
		"none":  {},
	}
	for _, e := range tr.events {
		if e.Type != StepFinished {
			continue
		}
		if diff := cmp.Diff(want[e.Step], *e.Came); diff != "" {
			t.Errorf("the end of %s (-want +got):\n%s", e.Step, diff)
		}
		if diff := cmp.Diff(want[e.Step], r.Steps.of(e.Step).Numbers()); diff != "" {
			t.Errorf("the result of %s (-want +got):\n%s", e.Step, diff)
		}
		delete(want, e.Step)
	}
	if len(want) > 0 {
		t.Errorf("no end of %v", want)
	}
}

type denyAll struct{ allowAll }

func (denyAll) Decide(context.Context, string, json.RawMessage) tools.Decision {
	return tools.Decision{Verdict: tools.Deny, Rule: "look: deny"}
}
