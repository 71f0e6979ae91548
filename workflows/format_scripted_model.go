package workflows

import (
	"time"

	"github.com/a-seed-11b9befa/flow/internal/format"
	"github.com/a-seed-11b9befa/flow/internal/tree"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

func scriptTable() *format.Object[ScriptedModel] {
	turns := format.ListOf("the turns of a step", turnShape())
	return &format.Object[ScriptedModel]{
		Name: "script", What: "a scripted model", Doc: "What a model answers, by step.",
		Fields: []format.Field[ScriptedModel]{
			format.Key("steps", format.EntriesOf("steps", turns), func(m *ScriptedModel) *[]format.Named[[]*ScriptedTurn] { return &m.steps }, "Turns by the step: its id, or the end of its address, such as pages[3]/review#2; \"*\" for any.").Must(),
		},
	}
}

// turnShape is one answer of a scripted model.
func turnShape() format.Shape[*ScriptedTurn] {
	table := turnTable()
	return format.Pointer(table.Shape(func(r *format.Reader, n *tree.Node) ScriptedTurn {
		if format.IsMap(n) && len(n.Entries) == 0 {
			r.Errorf(n, diagnostic.CodeKey, "the turn is empty").Hint = `an empty answer is {text: ""}`
		}
		return ScriptedTurn{Pos: n.Position()}
	}))
}

func turnTable() *format.Object[ScriptedTurn] {
	calls, usage, failure := callTable(), usageTable(), answerErrorTable()
	return &format.Object[ScriptedTurn]{
		Name: "turn", What: "a turn", Doc: "One answer of the model.",
		Fields: []format.Field[ScriptedTurn]{
			format.Key("text", templateText(), func(t *ScriptedTurn) **Template { return &t.text }, "What it says."),
			format.Key("thinking", templateText(), func(t *ScriptedTurn) **Template { return &t.thinking }, "What it thinks."),
			format.Key("calls", format.ListOf("calls", calls.Shape(func(_ *format.Reader, n *tree.Node) scriptedCall { return scriptedCall{pos: n.Position()} })), func(t *ScriptedTurn) *[]scriptedCall { return &t.calls }, "Calls of tools."),
			format.Key("output", anything(), func(t *ScriptedTurn) **Value { return &t.output }, "The structured result."),
			format.Key("finish", format.OneOf("stop", "tool_calls", "length", "content_filter"), func(t *ScriptedTurn) *string { return &t.finish }, "Why it ends."),
			format.Key("usage", format.Pointer(usage.Shape(nil)), func(t *ScriptedTurn) **Usage { return &t.usage }, "Tokens."),
			format.Key("delay", format.Span(), func(t *ScriptedTurn) *time.Duration { return &t.delay }, "How long it takes."),
			format.Key("error", format.Pointer(failure.Shape(nil)), func(t *ScriptedTurn) **AnswerError { return &t.failure }, "The request fails."),
		},
	}
}

func callTable() *format.Object[scriptedCall] {
	return &format.Object[scriptedCall]{
		Name: "call", What: "a call", Doc: "One call of a tool.",
		Fields: []format.Field[scriptedCall]{
			format.Key("name", format.Text(), func(c *scriptedCall) *string { return &c.name }, "The tool.").Must(),
			format.Key("arguments", anything(), func(c *scriptedCall) **Value { return &c.arguments }, "Default: none."),
		},
	}
}

// usageTable is the usage that an answer reports.
func usageTable() *format.Object[Usage] {
	return &format.Object[Usage]{
		Name: "usage", What: "usage", Doc: "Tokens.",
		Fields: []format.Field[Usage]{
			format.Key("input_tokens", format.BigNumber(0), func(u *Usage) *int64 { return &u.InputTokens }, "Tokens that were sent."),
			format.Key("output_tokens", format.BigNumber(0), func(u *Usage) *int64 { return &u.OutputTokens }, "Tokens that came back."),
			format.Key("cached_input_tokens", format.BigNumber(0), func(u *Usage) *int64 { return &u.CachedInputTokens }, "Tokens that the service had kept."),
			format.Key("reasoning_tokens", format.BigNumber(0), func(u *Usage) *int64 { return &u.ReasoningTokens }, "Tokens that were thought."),
		},
	}
}

func answerErrorTable() *format.Object[AnswerError] {
	return &format.Object[AnswerError]{
		Name: "error", What: "an error", Doc: "How the request fails.",
		Fields: []format.Field[AnswerError]{
			format.Key("status", format.WholeNumber(100), func(e *AnswerError) *int { return &e.Status }, "The HTTP status."),
			format.Key("retry_after", format.Span(), func(e *AnswerError) *time.Duration { return &e.RetryAfter }, "What the service says to wait."),
			format.Key("message", format.Text(), func(e *AnswerError) *string { return &e.Message }, "What the service says."),
		},
	}
}
