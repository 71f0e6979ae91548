package runner

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"testing"

	"github.com/a-seed-11b9befa/flow/internal/apart"
	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

// A leaving tool ends the goroutine that calls it, as a fake does that calls t.Fatal.
type leaving struct{ echo }

func (leaving) Run(context.Context, json.RawMessage, *tools.Output) (tools.Result, error) {
	runtime.Goexit()
	return tools.Result{}, nil
}

// What a program gives to a run may end its goroutine: the step fails with the name of who did
// it, and the run goes on.
func TestGoroutinesThatEnd(t *testing.T) {
	const gone = "it ended its goroutine (runtime.Goexit, which FailNow and Fatal of a test call)"
	exits := func(o *Options) {
		o.Tools = func(context.Context, ToolScope) (Toolbox, error) {
			return Toolbox{Guard: allowAll{}, Find: func(name string) []tools.Tool { return []tools.Tool{leaving{echo{name}}} }}, nil
		}
	}
	for _, tt := range []struct {
		name, step, want string
		kind             steps.Kind
		change           func(*Options)
	}{
		{"a model", "prompt: leave", "the model own/model crashed: " + gone, steps.KindInternal, func(*Options) {}},
		{"a tool", "tool: look", `tool "look": ` + gone, steps.KindTool, exits},
		{"a tool of a model", "{prompt: call, tools: [look]}", `call 1: tool "look": ` + gone, steps.KindTool, exits},
		{"one of several at once", "{prompt: call twice, tools: [look]}", `call 1: tool "look": ` + gone, steps.KindTool, exits},
		{"who makes the tools", "tool: look", "what the step called crashed: " + gone, steps.KindInternal, func(o *Options) {
			o.Tools = func(context.Context, ToolScope) (Toolbox, error) { runtime.Goexit(); return Toolbox{}, nil }
		}},
		{"who is asked", "tool: look", "who was asked about look crashed: " + gone, steps.KindTool, func(o *Options) {
			found := o.Tools
			o.Tools = func(ctx context.Context, scope ToolScope) (Toolbox, error) {
				box, err := found(ctx, scope)
				box.Guard = askAll{}
				return box, err
			}
			o.Ask = func(context.Context, string, json.RawMessage, tools.Decision) (tools.Decision, error) {
				runtime.Goexit()
				return tools.Decision{}, nil
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tr := newTrial(t)
			tr.change = tt.change
			tr.answer = func(_ context.Context, req providers.Request) (providers.Message, error) {
				switch req.Prompt {
				case "leave":
					runtime.Goexit()
				case "call":
					return calls("look"), nil
				}
				return calls("look", "look"), nil
			}
			step := tt.step
			if step[0] != '{' {
				step = "{" + step + "}"
			}
			r := tr.run("name: t\nmodel: own/model\nsteps:\n  - {id: a, on_error: continue, " + step[1:] + "\n  - {id: b, needs: [a], run: 'true'}\n")
			a := r.Steps[0]
			if got := statuses(r); got != "a=failed b=succeeded" || r.Status != steps.Succeeded {
				t.Errorf("%s: %s, %v", r.Status, got, r.Error)
			}
			if a.Error == nil || a.Error.Kind != tt.kind || a.Error.Message != tt.want || !errors.Is(a.Error, apart.ErrGone) {
				t.Errorf("%+v, want %s: %s", a.Error, tt.kind, tt.want)
			}
		})
	}
}
