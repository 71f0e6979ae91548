package steps

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools"
)

// ToolCall is one call of a tool, without a model. Run does not change it.
type ToolCall struct {
	Tools     *tools.Set // nil is no tools
	Tool      string
	Arguments json.RawMessage // an object; nil is an empty one
	Output    Output
	Hooks     Hooks     // only Observe is used
	Approval  *Approval // the answer of a person who was asked about the call before, or nil
}

// Run makes the call. The text of the result is what the tool printed, without a newline at
// the end, unmasked, and without what a model would be told of the call. More than 64 MiB
// are a failure.
func (t *ToolCall) Run(ctx context.Context) Result {
	set := t.Tools
	if set == nil {
		set = new(tools.Set)
	}
	prepared := set.Prepare(t.Tool, t.Arguments)
	c := &call{prepared: prepared, input: input(prepared.Arguments)}
	c.block.Name = t.Tool
	if t.Approval != nil {
		prepared.Ask = t.Approval.Ask
	}
	whole := new(whole)
	c.run = func(ctx context.Context) (tools.Answer, error) { return prepared.Reveal(ctx, whole) }
	b := batch{observer: &observer{event: t.Hooks.Observe}, failOnDenied: true, note: func(Fact) {}, hide: t.Tools.Hide}
	b.run(ctx, []*call{c})
	if c.pending != nil && ctx.Err() == nil {
		return Result{Status: Waiting, Pending: []Pending{*c.pending}}
	}
	out := printed{
		Text:  tools.Text{Content: c.answer.Output, Path: c.answer.Path, Truncated: c.answer.Truncated, Lost: c.answer.Lost},
		whole: whole,
	}
	r := out.result()
	r.ToolCalls = 1
	if r.Cut != nil && c.answer.Note != "" {
		r.Text += "\n" + c.answer.Note
	}
	if ctx.Err() != nil {
		return r.interrupted(ctx)
	}
	return t.outcome(r, c, out)
}

func (t *ToolCall) outcome(r Result, c *call, out printed) Result {
	switch {
	case c.err != nil:
		err := withKind(c.err, KindTool)
		return r.fail(reasonOf(err.Kind), err)
	case c.answer.Status == tools.Denied:
		r.Denied = []Denial{{Tool: t.Tool, Input: c.input, Rule: ruleOf(c.answer.Decision)}}
		return r.fail(ReasonDenied, &Error{Kind: KindDenied, Message: denied(t.Tool, c.answer.Decision)})
	case c.answer.Status != tools.Succeeded:
		return r.fail(ReasonError, &Error{Kind: KindTool, Message: fmt.Sprintf("tool %q: %s", t.Tool, ends(strings.TrimSpace(t.Tools.Hide(c.answer.Content)), maxShown))})
	}
	return r.finish(t.Output, out, t.Tools.Hide)
}
