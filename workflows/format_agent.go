package workflows

import (
	"math"
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/format"
	"github.com/a-seed-11b9befa/flow/internal/tree"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

func paramsTable() *format.Object[Params] {
	return &format.Object[Params]{
		Name: "params", What: "params", Doc: "Sampling parameters; what is not given is left to the service.",
		Fields: []format.Field[Params]{
			format.Key("temperature", format.Pointer(format.Decimal(0, 2)), func(p *Params) **float64 { return &p.Temperature }, "From 0 to 2."),
			format.Key("top_p", format.Pointer(format.Decimal(0, 1)), func(p *Params) **float64 { return &p.TopP }, "From 0 to 1."),
			format.Key("max_output_tokens", format.WholeNumber(1), func(p *Params) *int { return &p.MaxOutputTokens }, "The longest answer."),
			format.Key("seed", format.Pointer(format.BigNumber(math.MinInt32)), func(p *Params) **int64 { return &p.Seed }, "Asks for the same answers again, where the service can."),
			reasoningField(),
		},
	}
}

// reasoningField is an effort or a number of tokens; either replaces both defaults.
func reasoningField() format.Field[Params] {
	return format.Field[Params]{
		Key: "reasoning", Doc: "How much a model thinks: an effort, or a number of tokens.",
		Schema: func(w *format.Schema) any { return format.Define(w, reasoningTable()) },
		Read: func(r *format.Reader, n *tree.Node, into *Params) {
			into.ReasoningEffort, into.ReasoningBudget = "", 0
			reasoningTable().Read(r, n, into)
			if into.ReasoningEffort != "" && into.ReasoningBudget != 0 {
				r.Errorf(n, diagnostic.CodeKey, `reasoning takes "effort" or "budget_tokens", not both`)
			}
		},
	}
}

func reasoningTable() *format.Object[Params] {
	return &format.Object[Params]{
		Name: "reasoning", What: "reasoning", Doc: "An effort or a number of tokens.",
		Fields: []format.Field[Params]{
			format.Key("effort", format.OneOf(efforts()...), func(p *Params) *string { return &p.ReasoningEffort }, "How hard to think."),
			format.Key("budget_tokens", format.WholeNumber(1), func(p *Params) *int { return &p.ReasoningBudget }, "The most tokens to think with."),
		},
	}
}

func stopTable() *format.Object[Stop] {
	return &format.Object[Stop]{
		Name: "stop", What: "stop", Doc: "Ends an agent. when and on_tool are success; a limit is not, unless on_limit says so.",
		Fields: []format.Field[Stop]{
			format.Key("max_turns", format.WholeNumber(1), func(s *Stop) *int { return &s.MaxTurns }, "Turns of the model. Default 50."),
			format.Key("max_tool_calls", format.WholeNumber(1), func(s *Stop) *int { return &s.MaxToolCalls }, "Calls that are let through, denied ones counted."),
			format.Key("max_tokens", format.BigNumber(1), func(s *Stop) *int64 { return &s.MaxTokens }, "Tokens, in and out."),
			format.Key("max_cost_usd", format.Decimal(0, math.Inf(1)), func(s *Stop) *float64 { return &s.MaxCostUSD }, "US dollars."),
			format.Key("timeout", format.Span(), func(s *Stop) *time.Duration { return &s.Timeout }, "Time for one attempt."),
			format.Key("when", bareExpression(), func(s *Stop) **Condition { return &s.When }, "Looked at after each turn: turn, text, finished, usage, cost_usd, calls()."),
			format.Key("on_tool", format.ListOf("on_tool", offeredText()), func(s *Stop) *[]string { return &s.OnTool }, "Ends once a call of one of these tools succeeded."),
			format.Key("repeated_calls", format.WholeNumber(2), func(s *Stop) *int { return &s.RepeatedCalls }, "The same call with the same result, so many times running. Default 5."),
			format.Key("on_limit", format.Mapped(format.OneOf("stop", "accept"), func(s string) bool { return s == "accept" }), func(s *Stop) *bool { return &s.AcceptLimit }, "accept: what there is when a limit is reached is a success."),
		},
	}
}

// offeredText is the name of a tool without its position, as the tool is offered.
func offeredText() format.Shape[string] { return format.Mapped(format.Text(), offeredName) }

func truncateTable() *format.Object[Truncate] {
	return &format.Object[Truncate]{
		Name: "truncate", What: "truncate", Doc: "What is kept of a long output.",
		Fields: []format.Field[Truncate]{
			format.Key("lines", format.WholeNumber(1), func(t *Truncate) *int { return &t.Lines }, "Default 2,000."),
			format.Key("bytes", format.WholeNumber(1), func(t *Truncate) *int { return &t.Bytes }, "Default 51,200."),
			format.Key("line_chars", format.WholeNumber(1), func(t *Truncate) *int { return &t.LineChars }, "The longest line. Default 2,000."),
			format.Key("keep", format.OneOf("head", "tail", "both"), func(t *Truncate) *string { return &t.Keep }, "Which end is kept. Default: what suits the tool."),
		},
	}
}

func contextTable() *format.Object[Context] {
	return &format.Object[Context]{
		Name: "context", What: "context", Doc: "How a conversation stays within its model's window.",
		Fields: []format.Field[Context]{
			format.Key("trim", format.Mapped(format.OneOf("auto", "off"), func(s string) bool { return s == "off" }), func(c *Context) *bool { return &c.Fixed }, "auto (default): the oldest results of tools are taken out; off: a conversation that is too long is an error."),
		},
	}
}

func retryTable() *format.Object[Retry] {
	return &format.Object[Retry]{
		Name: "retry", What: "retry", Doc: "How often a whole step is tried.",
		Fields: []format.Field[Retry]{
			format.Key("max_attempts", format.WholeNumber(1), func(r *Retry) *int { return &r.MaxAttempts }, "The first one counts. Default 1."),
			format.Key("backoff", format.Span(), func(r *Retry) *time.Duration { return &r.Backoff }, "The first wait; it doubles. Default 1s."),
			format.Key("max_backoff", format.Span(), func(r *Retry) *time.Duration { return &r.MaxBackoff }, "The longest wait. Default 60s."),
		},
	}
}

func entryTable() *format.Object[ToolEntry] {
	return &format.Object[ToolEntry]{
		Name: "tool_entry", What: "a tool entry", Doc: "A tool that is offered, with what is different about it here.",
		Fields: []format.Field[ToolEntry]{
			format.Key("name", offeredText(), func(e *ToolEntry) *string { return &e.Name }, "The tool; github_* names several of an MCP server.").Must(),
			format.Key("workflow", format.Words(), func(e *ToolEntry) *word { return &e.uses }, "A workflow that a call runs: a file, a folder or a reference, as under uses. Its inputs are the arguments, its outputs the answer."),
			format.Key("grant", grantShape(), func(e *ToolEntry) **Grant { return &e.grant }, "What that workflow may have of this machine."),
			format.Key("with", format.MapOf("with", anything()), func(e *ToolEntry) *map[string]*Value { return &e.With }, "Pinned arguments: the model neither sees nor sets them."),
			format.Key("max_calls", format.WholeNumber(1), func(e *ToolEntry) *int { return &e.MaxCalls }, "How often the step may call it."),
			format.Key("parallel", format.OneOf("never", "auto", "always"), func(e *ToolEntry) *string { return &e.Parallel }, "Whether calls of one turn run at the same time. Default auto."),
			{
				Key: "truncate", Doc: "In place of the step's.",
				Schema: func(w *format.Schema) any { return format.Define(w, truncateTable()) },
				Read: func(r *format.Reader, n *tree.Node, e *ToolEntry) {
					p := parserOf(r)
					own := p.defaults.Truncate
					truncateTable().Read(p.Reader, n, &own)
					e.Truncate = &own
				},
			},
		},
	}
}

// toolEntry is a name, or the long form.
func toolEntry() format.Shape[ToolEntry] {
	long := entryTable().Shape(nil)
	return format.Shape[ToolEntry]{
		Read: func(r *format.Reader, n *tree.Node) (ToolEntry, bool) {
			p := parserOf(r)
			e, ok := ToolEntry{Name: offeredName(n.Text)}, n.Kind == tree.KindString && format.NoExpression(p.Reader, n)
			if n.Kind == tree.KindMap {
				e, ok = long.Read(p.Reader, n)
			} else if n.Kind != tree.KindString {
				p.Errorf(n, diagnostic.CodeValue, "a tool must be a name or a map with name, not %s", n.Describe())
			}
			if e.Parallel == "" {
				e.Parallel = "auto"
			}
			e.Pos = n.Position()
			e.node = n
			if e.uses.Node != nil && e.Name != "" {
				p.workflow.ToolNames = merged(p.workflow.ToolNames, []string{e.Name})
			} else if e.grant != nil {
				p.Errorf(n.Get("grant"), diagnostic.CodeKey, `"grant" goes with "workflow"`)
			}
			return e, ok && e.Name != ""
		},
		Schema: func(w *format.Schema) any {
			return map[string]any{"anyOf": []any{map[string]any{"type": "string"}, format.Define(w, entryTable())}}
		},
	}
}

func checkTable() *format.Object[Check] {
	return &format.Object[Check]{
		Name: "check", What: "a check", Doc: "Judged when the model says that it is done: a command or an expression.",
		Fields: []format.Field[Check]{
			format.Key("run", shellScript(), func(c *Check) **Script { return &c.Script }, "A script for the shell: it must end with 0."),
			format.Key("expr", bareExpression(), func(c *Check) **Condition { return &c.Expr }, "An expression over output and text: it must be true."),
			format.Key("held", format.Pointer(format.Boolean()), func(c *Check) **bool { return &c.Held }, "Whether run is held to the workspace. Default: where commands can be held, and sandbox says nothing else."),
		},
	}
}

// checkShape is one entry of checks, which has exactly one of run and expr.
func checkShape() format.Shape[Check] {
	return format.Shape[Check]{
		Read: func(r *format.Reader, n *tree.Node) (Check, bool) {
			var c Check
			if n.Kind == tree.KindString && (strings.HasPrefix(n.Text, "output.") || strings.HasPrefix(n.Text, "text ")) {
				r.Errorf(n, diagnostic.CodeValue, "a check must be a map, not a string").Hint = "write {expr: " + tree.Clip(n.Text, 40) + "}"
				return c, false
			}
			checkTable().Read(r, n, &c)
			given := n.Get("run") != nil
			if len(n.Entries) > 0 && given == (n.Get("expr") != nil) && !r.ReportedAt(n.Entries[0].Key) {
				r.Errorf(n, diagnostic.CodeKey, `a check has "run" or "expr", and only one of them`)
			}
			if c.Held != nil && c.Script == nil {
				r.Errorf(n.Get("held"), diagnostic.CodeKey, `"held" goes with "run"`)
			}
			for _, name := range []string{"run", "expr"} {
				if v := n.Get(name); v != nil {
					c.Source = strings.TrimSpace(v.Text)
				}
			}
			c.Pos = n.Position()
			return c, c.Script != nil || c.Expr != nil
		},
		Schema: func(w *format.Schema) any { return format.Define(w, checkTable()) },
	}
}
