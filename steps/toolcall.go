package steps

import (
	"context"
	"encoding/json"
	"fmt"

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
		prepared.Ask = t.Approval.ask
	}
	whole := new(whole)
	c.run = func(ctx context.Context) (tools.Answer, error) {
		return prepared.Reveal(ctx, whole.writer())
	}
	b := batch{observer: &observer{event: t.Hooks.Observe}, failOnDenied: true, note: func(Fact) {}, hide: t.Tools.Hide}
	b.run(ctx, []*call{c})
	if c.pending != nil && ctx.Err() == nil {
		return Result{Status: Waiting, Pending: []Pending{*c.pending}}
	}
	r := Result{Used: Used{ToolCalls: 1}}
	r.say(whole, c.answer.Output, c.answer.Truncated, c.answer.Path)
	if r.Cut != nil && c.answer.Note != "" {
		r.Text += "\n" + c.answer.Note
	}
	if c.answer.Truncated {
		r.Truncated = 1
	}
	if c.answer.Lost {
		r.Lost = 1
	}
	if ctx.Err() != nil {
		return r.interrupted(ctx)
	}
	return t.result(r, c, whole)
}

func (t *ToolCall) result(r Result, c *call, whole *whole) Result {
	switch {
	case c.err != nil:
		err := withKind(c.err, KindTool)
		return r.fail(reasonOf(err.Kind), err)
	case c.answer.Status == tools.Denied:
		rule := ruleOf(c.answer.Decision)
		r.Denied = []Denial{{Tool: t.Tool, Input: c.input, Rule: rule}}
		return r.fail(ReasonDenied, &Error{Kind: KindDenied, Message: fmt.Sprintf("tool %q: denied by %s", t.Tool, rule)})
	case c.answer.Status != tools.Succeeded:
		return r.fail(ReasonError, &Error{Kind: KindTool, Message: fmt.Sprintf("tool %q: %s", t.Tool, brief(t.Tools.Hide(c.answer.Content)))})
	}
	return r.finish(t.Output, whole, t.Tools.Hide)
}

// finish sets the Output of a command or a tool from what it printed. hide is for what an error
// quotes of it.
func (r Result) finish(o Output, w *whole, hide func(string) string) Result {
	text := r.Text
	switch {
	case w != nil && w.over:
		return r.fail(ReasonOutputLimit, &Error{
			Kind:    KindLimit,
			Message: fmt.Sprintf("output: more than the limit of %d MiB", maxWhole>>20),
			Hint:    "write it to a file, or to /dev/null",
		})
	case w != nil && !o.isText():
		text = w.kept.String()
	}
	value, err := o.read(text, hide)
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
