package steps

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a-seed-11b9befa/flow/tools"
)

// An inner is a tool whose calls go on where they were, and tells what became of them.
type inner struct {
	ends func(ctx context.Context) (tools.Result, error)
	ran  int
	at   []int // the numbers of the calls
}

func (*inner) Spec() tools.Spec {
	return tools.Spec{Name: "inner", Parameters: json.RawMessage(`{"type": "object"}`)}
}
func (*inner) Effects(json.RawMessage) tools.Effects { return tools.Everything() }
func (*inner) Continues()                            {}
func (i *inner) Run(ctx context.Context, _ json.RawMessage, out *tools.Output) (tools.Result, error) {
	i.ran++
	i.at = append(i.at, tools.IndexOf(ctx))
	if i.ends == nil {
		_, err := out.Write([]byte("done"))
		return tools.Result{Spent: tools.Amount{Tokens: 70}}, err
	}
	return i.ends(ctx)
}

// A call that has not come to an end has no answer, and is made again when the conversation continues; only
// after the step's own timeout, behind which there is a last turn, it is answered.
func TestOpenCalls(t *testing.T) {
	waits := func(context.Context) (tools.Result, error) { return tools.Result{Open: true}, nil }
	refused := func(context.Context) (tools.Result, error) {
		return tools.Result{Open: true}, &Error{Kind: KindBudget, Message: "used up"}
	}
	stuck := func(ctx context.Context) (tools.Result, error) {
		<-ctx.Done()
		return tools.Result{Open: true}, nil
	}
	for name, test := range map[string]struct {
		ends      func(context.Context) (tools.Result, error)
		stop      Stop
		interrupt bool
		want      Status
		kind      Kind
		answered  bool
	}{
		"waits":        {ends: waits, want: Waiting},
		"refused":      {ends: refused, want: Stopped, kind: KindBudget},
		"interrupted":  {ends: stuck, interrupt: true, want: Cancelled, kind: KindCancelled},
		"stop.timeout": {ends: stuck, stop: Stop{Timeout: time.Second}, want: Stopped, kind: KindTimeout, answered: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tool, past := &inner{ends: test.ends}, &history{}
				set, err := tools.NewSet([]tools.Entry{{Tool: tool}}, tools.SetOptions{Guard: guard{}})
				if err != nil {
					t.Fatal(err)
				}
				agent := Agent{Model: playing(calls("inner {}", "inner {}"), says("done")), Prompt: "go", Tools: set, Stop: test.stop, Hooks: Hooks{Remember: past.remember}}
				told := 0
				agent.Hooks.Observe = func(e Event) {
					if e.Type == CallFinished {
						told++
					}
				}
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				if test.interrupt {
					time.AfterFunc(time.Second, func() { cancel(errors.New("interrupted")) })
				}
				r := agent.Run(ctx)
				if r.Status != test.want || r.Error != nil && r.Error.Kind != test.kind {
					t.Fatalf("%s: %v", r.Status, r.Error)
				}
				answered := 0
				all := past.first(t, len(past.lines))
				for _, f := range all.Facts {
					if f.CallEnded != nil {
						answered++
					}
				}
				ended := told // also the second call, which an interrupt keeps from beginning
				if test.interrupt {
					ended--
				}
				if (answered > 0) != test.answered || (ended > 0) != test.answered {
					t.Errorf("%d answers, %d are told of", answered, told)
				}
				if test.answered {
					return
				}
				tool.ends, tool.at = nil, nil
				agent.Model, agent.Tools = playing(says("done")), set.With(tools.Outputs{})
				if r = agent.From(t.Context(), all); r.Status != Succeeded || r.Text != "done" || len(tool.at) != 2 || tool.at[0] != 0 || tool.at[1] != 1 {
					t.Errorf("continued: %s %q after the calls %v: %v", r.Status, r.Text, tool.at, r.Error)
				}
			})
		})
	}
}

// What a call has used of models counts for the limits of its step, also when the step continues.
func TestLimitsCountWhatCallsHaveSpent(t *testing.T) {
	tool, past := &inner{}, &history{}
	set, err := tools.NewSet([]tools.Entry{{Tool: tool}}, tools.SetOptions{Guard: guard{}})
	if err != nil {
		t.Fatal(err)
	}
	model := &answersBy{turns: []play{calls("inner {}"), calls("inner {}"), says("last")}}
	agent := Agent{Model: model, Prompt: "go", Tools: set, Stop: Stop{MaxTokens: 100}, Hooks: Hooks{Remember: past.remember}}
	if r := agent.Run(t.Context()); r.Status != Stopped || r.StopReason != ReasonMaxTokens || tool.ran != 2 {
		t.Fatalf("%s by %s after %d calls: %v", r.Status, r.StopReason, tool.ran, r.Error)
	}
	for n := range past.lines {
		agent.Tools, agent.Hooks.Remember = set.With(tools.Outputs{}), nil
		if r := agent.From(t.Context(), past.first(t, n)); r.Status != Stopped || r.StopReason != ReasonMaxTokens || r.ToolCalls != 2 {
			t.Errorf("after %d facts: %s by %s after %d calls: %v", n, r.Status, r.StopReason, r.ToolCalls, r.Error)
		}
	}
}
