package steps

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/tools"
)

func TestToolCall(t *testing.T) {
	tests := []struct {
		name      string
		tool      string
		arguments string
		output    Output
		status    Status
		reason    Reason
		kind      Kind
		value     any
		told      string
		text      string // where it is not the value
	}{
		{name: "text", tool: "echo", arguments: `{"a":1}`, status: Succeeded, reason: ReasonCompleted, value: `{"a":1}`},
		{name: "no arguments", tool: "echo", status: Succeeded, reason: ReasonCompleted, value: `{}`},
		{name: "json", tool: "echo", arguments: `{"a":1}`, text: `{"a":1}`, output: Output{Kind: OutputJSON}, status: Succeeded, reason: ReasonCompleted, value: map[string]any{"a": 1}},
		{name: "lines", tool: "echo", arguments: `{"a":1}`, text: `{"a":1}`, output: Output{Kind: OutputLines}, status: Succeeded, reason: ReasonCompleted, value: []any{`{"a":1}`}},
		{name: "fits", tool: "echo", arguments: `{"score":1}`, text: `{"score":1}`, output: schema(t, scoreSchema), status: Succeeded, reason: ReasonCompleted, value: map[string]any{"score": 1}},
		{name: "misfits", tool: "echo", arguments: `{"score":9}`, text: `{"score":9}`, output: schema(t, scoreSchema), status: Failed, reason: ReasonInvalidOutput, kind: KindInvalidOutput, told: "/score"},
		{name: "fails", tool: "fail", status: Failed, reason: ReasonError, kind: KindTool, told: `tool "fail": it failed`, text: "it failed"},
		{name: "breaks down", tool: "breaks", status: Failed, reason: ReasonError, kind: KindTool, told: "disk on fire"},
		{name: "denied", tool: "secret", status: Failed, reason: ReasonDenied, kind: KindDenied, told: `a call of tool "secret" was denied: no secrets`},
		{name: "unknown", tool: "ekho", status: Failed, reason: ReasonError, kind: KindTool, told: `did you mean "echo"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var l log
			call := ToolCall{Tools: toolbox(t), Tool: tt.tool, Arguments: json.RawMessage(tt.arguments), Output: tt.output, Hooks: l.hooks()}
			r := call.Run(t.Context())
			if r.Status != tt.status || r.StopReason != tt.reason {
				t.Errorf("%s, %s; want %s, %s: %v", r.Status, r.StopReason, tt.status, tt.reason, r.Error)
			}
			checkError(t, r, tt.kind)
			if tt.told != "" && !strings.Contains(r.Error.Message, tt.told) {
				t.Errorf("error %q, want one with %q", r.Error.Message, tt.told)
			}
			if diff := cmp.Diff(tt.value, r.Output); diff != "" {
				t.Error(diff)
			}
			text, ok := tt.value.(string)
			if !ok {
				text = tt.text
			}
			if r.Text != text {
				t.Errorf("text %q, want %q", r.Text, text)
			}
			running := "call_pending call_running call_finished"
			if tt.tool == "secret" || tt.tool == "ekho" {
				running = "call_pending call_finished"
			}
			if got := l.types(); got != running {
				t.Errorf("events %s, want %s", got, running)
			}
		})
	}
}

func TestToolCallIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	wait := tool{name: "wait", run: func(ctx context.Context, _ json.RawMessage, out *tools.Output) (tools.Result, error) {
		_, err := out.Write([]byte("so far"))
		cancel(&Error{Kind: KindTimeout, Message: "timeout after 1s"})
		return tools.Result{}, errors.Join(err, ctx.Err())
	}}
	call := ToolCall{Tools: toolbox(t, wait), Tool: "wait"}
	r := call.Run(ctx)
	if r.Status != Stopped || r.StopReason != ReasonTimeout || !r.Partial || r.Text != "so far" {
		t.Errorf("%+v", r)
	}
	checkError(t, r, KindTimeout)
}

// A tool's output is data: as it was printed, without the last newline, and
// whole where it is read as lines.
func TestToolCallOutputIsReal(t *testing.T) {
	prints := tool{name: "print", run: func(_ context.Context, _ json.RawMessage, out *tools.Output) (tools.Result, error) {
		_, err := out.Write([]byte(strings.Repeat("token-1234\n", 3000)))
		return tools.Result{Note: "There may be more."}, err
	}}
	set, err := tools.NewSet([]tools.Entry{{Tool: prints}}, tools.SetOptions{Guard: guard{}, Mask: tools.NewMask([]string{"token-1234"})})
	if err != nil {
		t.Fatal(err)
	}
	call := ToolCall{Tools: set, Tool: "print", Output: Output{Kind: OutputLines}}
	r := call.Run(t.Context())
	if list, _ := r.Output.([]any); len(list) != 3000 || list[2999] != "token-1234" {
		t.Errorf("%d lines, %v", len(list), r.Error)
	}
	if !strings.HasPrefix(r.Text, "token-1234\n") || r.Truncated != 1 || r.Lost != 1 {
		t.Errorf("%d truncated, %d lost, %.50q", r.Truncated, r.Lost, r.Text)
	}
}

func TestToolCallTextEndsWithoutNewline(t *testing.T) {
	line := tool{name: "line", run: func(_ context.Context, _ json.RawMessage, out *tools.Output) (tools.Result, error) {
		_, err := out.Write([]byte("one\ntwo\n\n"))
		return tools.Result{}, err
	}}
	call := ToolCall{Tools: toolbox(t, line), Tool: "line"}
	if r := call.Run(t.Context()); r.Text != "one\ntwo\n" || r.Output != r.Text {
		t.Errorf("text %q, output %q", r.Text, r.Output)
	}
}

// TestZeroSteps: a step without a model, or without tools, fails.
func TestZeroSteps(t *testing.T) {
	if r := new(Agent).Run(t.Context()); r.Status != Failed || r.Error.Kind != KindConfiguration {
		t.Errorf("an agent: %s %v", r.Status, r.Error)
	}
	if r := (&ToolCall{Tool: "read"}).Run(t.Context()); r.Status != Failed || r.Error.Kind != KindTool || !strings.Contains(r.Error.Message, `There is no tool "read"`) {
		t.Errorf("a call: %s %v", r.Status, r.Error)
	}
}
