package steps

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/a-seed-11b9befa/flow/tools"
)

// A ToolCall is one call of a tool, without a model. It is not changed by Run.
type ToolCall struct {
	Tools     *tools.Set
	Tool      string
	Arguments json.RawMessage // an object; nil is an empty one
	Output    Output
	Hooks     Hooks // Observe only
}

// Run makes the call. Its text is what a model would be shown, which may be
// truncated; lines and JSON are read from the whole.
func (t *ToolCall) Run(ctx context.Context) Result {
	o := &observer{event: t.Hooks.Observe}
	prepared := t.Tools.Prepare(t.Tool, t.Arguments)
	c := &call{prepared: prepared, input: input(prepared.Arguments)}
	c.block.Name = t.Tool
	o.runCalls(ctx, []*call{c}, place{failOnDenied: true})
	if ctx.Err() != nil {
		status, reason, err := interruption(ctx)
		return Result{Status: status, StopReason: reason, Text: c.answer.Content, Partial: status == Stopped, Error: err}
	}
	return t.result(c)
}

func (t *ToolCall) result(c *call) Result {
	r := Result{Text: c.answer.Content, ToolCalls: 1}
	if c.answer.Truncated {
		r.Truncated = 1
	}
	switch {
	case c.err != nil:
		err := withKind(c.err, KindTool)
		return r.fail(reasonOf(err.Kind), err)
	case c.answer.Status == tools.Denied:
		rule := ruleOf(c.answer.Decision)
		r.Denied = []Denial{{Tool: t.Tool, Input: c.input, Rule: rule}}
		return r.fail(ReasonDenied, &Error{Kind: KindDenied, Message: fmt.Sprintf("tool %q: denied by %s", t.Tool, rule)})
	case c.answer.Status != tools.Succeeded:
		return r.fail(ReasonError, &Error{Kind: KindTool, Message: fmt.Sprintf("tool %q: %s", t.Tool, brief(c.answer.Content))})
	}
	if !c.answer.Truncated || t.Output.Kind == OutputText || t.Output.Kind == "" {
		return r.finish(t.Output, c.answer.Content)
	}
	whole, err := readWhole(c.answer.Path)
	if err != nil {
		return r.fail(ReasonInvalidOutput, &Error{Kind: KindInvalidOutput, Message: fmt.Sprintf("output as %s: %v", t.Output.Kind, err), Err: err})
	}
	return r.finish(t.Output, whole)
}

// readWhole reads an output that was truncated from where the whole is kept.
func readWhole(path string) (string, error) {
	if path == "" {
		return "", errors.New("it was truncated, and the whole is not kept")
	}
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxWhole+1))
	if err == nil && len(data) > maxWhole {
		err = fmt.Errorf("more than %d MiB", maxWhole>>20)
	}
	return string(data), err
}

// finish reads the value out of what a command or a tool printed.
func (r Result) finish(o Output, whole string) Result {
	value, err := o.read(whole)
	if err != nil {
		return r.fail(ReasonInvalidOutput, &Error{Kind: KindInvalidOutput, Message: err.Error(), Err: err})
	}
	r.Status, r.StopReason, r.Output = Succeeded, ReasonCompleted, value
	return r
}

func (r Result) fail(reason Reason, err *Error) Result {
	r.Status, r.StopReason, r.Error = Failed, reason, err
	return r
}
