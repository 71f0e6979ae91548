package workflows

import (
	"time"

	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
	"github.com/a-seed-11b9befa/flow/workflows/internal/tree"
)

// A scriptDraft is a scripted model while its file is read.
type scriptDraft struct {
	steps []named[[]*ScriptedTurn]
}

func scriptTable() *object[scriptDraft] {
	turns := listOf("the turns of a step", turnShape())
	return &object[scriptDraft]{
		name: "script", what: "a scripted model", doc: "What a model answers, by step.",
		fields: []field[scriptDraft]{
			key("steps", entriesOf("steps", turns), func(d *scriptDraft) *[]named[[]*ScriptedTurn] { return &d.steps }, "Turns by the step: its id, or the end of its address, such as pages[3]/review#2; \"*\" for any.").must(),
		},
	}
}

// turnShape is one answer of a scripted model.
func turnShape() shape[*ScriptedTurn] {
	table := turnTable()
	return pointer(table.shape(func(p *parser, n *tree.Node) ScriptedTurn {
		if isMap(n) && len(n.Entries) == 0 {
			p.Errorf(n, diagnostic.CodeKey, "the turn is empty").Hint = `an empty answer is {text: ""}`
		}
		return ScriptedTurn{Pos: n.Position()}
	}))
}

func turnTable() *object[ScriptedTurn] {
	calls, usage, failure := callTable(), usageTable(), answerErrorTable()
	return &object[ScriptedTurn]{
		name: "turn", what: "a turn", doc: "One answer of the model.",
		fields: []field[ScriptedTurn]{
			key("text", templateText(), func(t *ScriptedTurn) **Template { return &t.text }, "What it says."),
			key("thinking", templateText(), func(t *ScriptedTurn) **Template { return &t.thinking }, "What it thinks."),
			key("calls", listOf("calls", calls.shape(func(_ *parser, n *tree.Node) scriptedCall { return scriptedCall{pos: n.Position()} })), func(t *ScriptedTurn) *[]scriptedCall { return &t.calls }, "Calls of tools."),
			key("output", anything(), func(t *ScriptedTurn) **Value { return &t.output }, "The structured result."),
			key("finish", oneOf("stop", "tool_calls", "length", "content_filter"), func(t *ScriptedTurn) *string { return &t.finish }, "Why it ends."),
			key("usage", pointer(usage.shape(zero)), func(t *ScriptedTurn) **Usage { return &t.usage }, "Tokens."),
			key("delay", span(), func(t *ScriptedTurn) *time.Duration { return &t.delay }, "How long it takes."),
			key("error", pointer(failure.shape(zero)), func(t *ScriptedTurn) **AnswerError { return &t.failure }, "The request fails."),
		},
	}
}

func callTable() *object[scriptedCall] {
	return &object[scriptedCall]{
		name: "call", what: "a call", doc: "One call of a tool.",
		fields: []field[scriptedCall]{
			key("name", wordText(), func(c *scriptedCall) *string { return &c.name }, "The tool.").must(),
			key("arguments", anything(), func(c *scriptedCall) **Value { return &c.arguments }, "Default: none."),
		},
	}
}

// usageTable is the usage that an answer reports.
func usageTable() *object[Usage] {
	return &object[Usage]{
		name: "usage", what: "usage", doc: "Tokens.",
		fields: []field[Usage]{
			key("input_tokens", bigNumber(0), func(u *Usage) *int64 { return &u.InputTokens }, "Tokens that were sent."),
			key("output_tokens", bigNumber(0), func(u *Usage) *int64 { return &u.OutputTokens }, "Tokens that came back."),
			key("cached_input_tokens", bigNumber(0), func(u *Usage) *int64 { return &u.CachedInputTokens }, "Tokens that the service had kept."),
			key("reasoning_tokens", bigNumber(0), func(u *Usage) *int64 { return &u.ReasoningTokens }, "Tokens that were thought."),
		},
	}
}

func answerErrorTable() *object[AnswerError] {
	return &object[AnswerError]{
		name: "error", what: "an error", doc: "How the request fails.",
		fields: []field[AnswerError]{
			key("status", wholeNumber(100), func(e *AnswerError) *int { return &e.Status }, "The HTTP status."),
			key("retry_after", span(), func(e *AnswerError) *time.Duration { return &e.RetryAfter }, "What the service says to wait."),
			key("message", text(), func(e *AnswerError) *string { return &e.Message }, "What the service says."),
		},
	}
}
