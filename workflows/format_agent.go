package workflows

import (
	"math"
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
	"github.com/a-seed-11b9befa/flow/workflows/internal/tree"
)

func paramsTable() *object[Params] {
	return &object[Params]{
		name: "params", what: "params", doc: "Sampling parameters; what is not given is left to the service.",
		fields: []field[Params]{
			key("temperature", pointer(decimal(0, 2)), func(p *Params) **float64 { return &p.Temperature }, "From 0 to 2."),
			key("top_p", pointer(decimal(0, 1)), func(p *Params) **float64 { return &p.TopP }, "From 0 to 1."),
			key("max_output_tokens", wholeNumber(1), func(p *Params) *int { return &p.MaxOutputTokens }, "The longest answer."),
			key("seed", pointer(bigNumber(math.MinInt32)), func(p *Params) **int64 { return &p.Seed }, "Asks for the same answers again, where the service can."),
			reasoningField(),
		},
	}
}

// reasoningField is an effort or a number of tokens; either replaces both defaults.
func reasoningField() field[Params] {
	return field[Params]{
		key: "reasoning", doc: "How much a model thinks: an effort, or a number of tokens.",
		schema: func(w *schemaWriter) any { return define(w, reasoningTable()) },
		read: func(p *parser, n *tree.Node, into *Params) {
			into.ReasoningEffort, into.ReasoningBudget = "", 0
			reasoningTable().read(p, n, into)
			if into.ReasoningEffort != "" && into.ReasoningBudget != 0 {
				p.Errorf(n, diagnostic.CodeKey, `reasoning takes "effort" or "budget_tokens", not both`)
			}
		},
	}
}

func reasoningTable() *object[Params] {
	return &object[Params]{
		name: "reasoning", what: "reasoning", doc: "An effort or a number of tokens.",
		fields: []field[Params]{
			key("effort", oneOf(efforts()...), func(p *Params) *string { return &p.ReasoningEffort }, "How hard to think."),
			key("budget_tokens", wholeNumber(1), func(p *Params) *int { return &p.ReasoningBudget }, "The most tokens to think with."),
		},
	}
}

func stopTable() *object[Stop] {
	return &object[Stop]{
		name: "stop", what: "stop", doc: "Ends an agent. when and on_tool are success; a limit is not, unless on_limit says so.",
		fields: []field[Stop]{
			key("max_turns", wholeNumber(1), func(s *Stop) *int { return &s.MaxTurns }, "Turns of the model. Default 50."),
			key("max_tool_calls", wholeNumber(1), func(s *Stop) *int { return &s.MaxToolCalls }, "Calls that are let through, denied ones counted."),
			key("max_tokens", bigNumber(1), func(s *Stop) *int64 { return &s.MaxTokens }, "Tokens, in and out."),
			key("max_cost_usd", decimal(0, math.Inf(1)), func(s *Stop) *float64 { return &s.MaxCostUSD }, "US dollars."),
			key("timeout", span(), func(s *Stop) *time.Duration { return &s.Timeout }, "Time for one attempt."),
			key("when", bareExpression(), func(s *Stop) **Condition { return &s.When }, "Looked at after each turn: turn, text, finished, usage, cost_usd, calls()."),
			key("on_tool", listOf("on_tool", offeredText()), func(s *Stop) *[]string { return &s.OnTool }, "Ends once a call of one of these tools succeeded."),
			key("repeated_calls", wholeNumber(2), func(s *Stop) *int { return &s.RepeatedCalls }, "The same call with the same result, so many times running. Default 5."),
			key("on_limit", mapped(oneOf("stop", "accept"), func(s string) bool { return s == "accept" }), func(s *Stop) *bool { return &s.AcceptLimit }, "accept: what there is when a limit is reached is a success."),
		},
	}
}

// wordText is a word without its position.
func wordText() shape[string] {
	return mapped(wordShape(), func(w word) string { return w.text })
}

// offeredText is the name of a tool without its position, as the tool is offered.
func offeredText() shape[string] { return mapped(wordText(), offeredName) }

func truncateTable() *object[Truncate] {
	return &object[Truncate]{
		name: "truncate", what: "truncate", doc: "What is kept of a long output.",
		fields: []field[Truncate]{
			key("lines", wholeNumber(1), func(t *Truncate) *int { return &t.Lines }, "Default 2,000."),
			key("bytes", wholeNumber(1), func(t *Truncate) *int { return &t.Bytes }, "Default 51,200."),
			key("line_chars", wholeNumber(1), func(t *Truncate) *int { return &t.LineChars }, "The longest line. Default 2,000."),
			key("keep", oneOf("head", "tail", "both"), func(t *Truncate) *string { return &t.Keep }, "Which end is kept. Default: what suits the tool."),
		},
	}
}

func contextTable() *object[Context] {
	return &object[Context]{
		name: "context", what: "context", doc: "How a conversation stays within its model's window.",
		fields: []field[Context]{
			key("trim", mapped(oneOf("auto", "off"), func(s string) bool { return s == "off" }), func(c *Context) *bool { return &c.Fixed }, "auto (default): the oldest results of tools are taken out; off: a conversation that is too long is an error."),
		},
	}
}

func retryTable() *object[Retry] {
	return &object[Retry]{
		name: "retry", what: "retry", doc: "How often a whole step is tried.",
		fields: []field[Retry]{
			key("max_attempts", wholeNumber(1), func(r *Retry) *int { return &r.MaxAttempts }, "The first one counts. Default 1."),
			key("backoff", span(), func(r *Retry) *time.Duration { return &r.Backoff }, "The first wait; it doubles. Default 1s."),
			key("max_backoff", span(), func(r *Retry) *time.Duration { return &r.MaxBackoff }, "The longest wait. Default 60s."),
		},
	}
}

func entryTable() *object[ToolEntry] {
	return &object[ToolEntry]{
		name: "tool_entry", what: "a tool entry", doc: "A tool that is offered, with what is different about it here.",
		fields: []field[ToolEntry]{
			key("name", offeredText(), func(e *ToolEntry) *string { return &e.Name }, "The tool; github_* names several of an MCP server.").must(),
			key("workflow", wordShape(), func(e *ToolEntry) *word { return &e.uses }, "A workflow that a call runs: a file, a folder or a reference, as under uses. Its inputs are the arguments, its outputs the answer."),
			key("grant", grantShape(), func(e *ToolEntry) **Grant { return &e.grant }, "What that workflow may have of this machine."),
			key("with", mapOf("with", anything()), func(e *ToolEntry) *map[string]*Value { return &e.With }, "Pinned arguments: the model neither sees nor sets them."),
			key("max_calls", wholeNumber(1), func(e *ToolEntry) *int { return &e.MaxCalls }, "How often the step may call it."),
			key("parallel", oneOf("never", "auto", "always"), func(e *ToolEntry) *string { return &e.Parallel }, "Whether calls of one turn run at the same time. Default auto."),
			{
				key: "truncate", doc: "In place of the step's.",
				schema: func(w *schemaWriter) any { return define(w, truncateTable()) },
				read: func(p *parser, n *tree.Node, e *ToolEntry) {
					own := p.defaults.agent.Truncate
					truncateTable().read(p, n, &own)
					e.Truncate = &own
				},
			},
		},
	}
}

// toolEntry is a name, or the long form.
func toolEntry() shape[ToolEntry] {
	long := entryTable().shape(zero)
	return shape[ToolEntry]{
		read: func(p *parser, n *tree.Node) (ToolEntry, bool) {
			e, ok := ToolEntry{Name: offeredName(n.Text)}, n.Kind == tree.KindString && p.noExpression(n)
			if n.Kind == tree.KindMap {
				e, ok = long.read(p, n)
			} else if n.Kind != tree.KindString {
				p.Errorf(n, diagnostic.CodeValue, "a tool must be a name or a map with name, not %s", n.Describe())
			}
			if e.Parallel == "" {
				e.Parallel = "auto"
			}
			e.Pos = n.Position()
			e.node = n
			if e.uses.node != nil && e.Name != "" {
				p.workflow.ToolNames = merged(p.workflow.ToolNames, []string{e.Name})
			} else if e.grant != nil {
				p.Errorf(n.Get("grant"), diagnostic.CodeKey, `"grant" goes with "workflow"`)
			}
			return e, ok && e.Name != ""
		},
		schema: func(w *schemaWriter) any {
			return map[string]any{"anyOf": []any{map[string]any{"type": "string"}, define(w, entryTable())}}
		},
	}
}

func checkTable() *object[Check] {
	return &object[Check]{
		name: "check", what: "a check", doc: "Judged when the model says that it is done: a command or an expression.",
		fields: []field[Check]{
			key("run", shellScript(), func(c *Check) **Script { return &c.Script }, "A script for the shell: it must end with 0."),
			key("expr", bareExpression(), func(c *Check) **Condition { return &c.Expr }, "An expression over output and text: it must be true."),
			key("held", pointer(boolean()), func(c *Check) **bool { return &c.Held }, "Whether run is held to the workspace. Default: where commands can be held, and sandbox says nothing else."),
		},
	}
}

// checkShape is one entry of checks, which has exactly one of run and expr.
func checkShape() shape[Check] {
	return shape[Check]{
		read: func(p *parser, n *tree.Node) (Check, bool) {
			var c Check
			if n.Kind == tree.KindString && (strings.HasPrefix(n.Text, "output.") || strings.HasPrefix(n.Text, "text ")) {
				p.Errorf(n, diagnostic.CodeValue, "a check must be a map, not a string").Hint = "write {expr: " + tree.Clip(n.Text, 40) + "}"
				return c, false
			}
			present := checkTable().read(p, n, &c)
			given := n.Get("run") != nil
			if n.Kind == tree.KindMap && len(present) > 0 && given == (n.Get("expr") != nil) && !p.ReportedAt(n.Entries[0].Key) {
				p.Errorf(n, diagnostic.CodeKey, `a check has "run" or "expr", and only one of them`)
			}
			if c.Held != nil && c.Script == nil {
				p.Errorf(n.Get("held"), diagnostic.CodeKey, `"held" goes with "run"`)
			}
			for _, name := range []string{"run", "expr"} {
				if v := n.Get(name); v != nil {
					c.Source = strings.TrimSpace(v.Text)
				}
			}
			c.Pos = n.Position()
			return c, c.Script != nil || c.Expr != nil
		},
		schema: func(w *schemaWriter) any { return define(w, checkTable()) },
	}
}
