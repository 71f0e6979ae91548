package suite

import (
	"math"
	"path"
	"regexp"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/format"
	"github.com/a-seed-11b9befa/flow/internal/tree"
	"github.com/a-seed-11b9befa/flow/workflows"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

const maxCases = 10_000 // of one file

// testsTable is the top of a test file.
func testsTable() *format.Object[File] {
	one := caseTable()
	cases := format.SomeOf("cases", maxCases, format.Pointer(one.Shape(func(_ *format.Reader, n *tree.Node) Case { return Case{Pos: n.Position(), node: n} })))
	return &format.Object[File]{
		Name: "tests", What: "a file of tests", Doc: "Cases of what a workflow does, with a scripted model.",
		Fields: []format.Field[File]{
			format.Key("workflow", format.Mapped(pathShape(), func(w format.Word) string { return w.Text }), func(t *File) *string { return &t.Workflow }, "The workflow's file; its path starts at the folder of this one.").Must(),
			format.Key("cases", cases, func(t *File) *[]*Case { return &t.Cases }, "What is tried, each in a workspace of its own.").Must(),
		},
	}
}

// pathShape is the path of a file or a folder, joined to the folder of the test file.
func pathShape() format.Shape[format.Word] {
	words := format.Words()
	return format.Shape[format.Word]{
		Schema: words.Schema,
		Read: func(r *format.Reader, n *tree.Node) (format.Word, bool) {
			w, ok := words.Read(r, n)
			if ok && w.Text != "" {
				w.Text = pathOf(r, w.Text)
			}
			return w, ok
		},
	}
}

func caseTable() *format.Object[Case] {
	expect := expectTable()
	return &format.Object[Case]{
		Name: "case", What: "a case", Doc: "A run of the workflow, and what is expected of it.",
		Fields: []format.Field[Case]{
			format.Key("name", format.Text(), func(c *Case) *string { return &c.Name }, "What the case is called.").Must(),
			modelOfCase(),
			format.Key("inputs", format.Map("inputs must be a map", "each stands under its name, without a dash: inputs: {topic: news}"), func(c *Case) **tree.Node { return &c.inputs }, "The workflow's inputs, by name."),
			format.Key("env", format.MapOf("env", format.Text()), func(c *Case) *map[string]string { return &c.Env }, "Variables that the workflow names, in place of those that are set."),
			filesOfCase(),
			format.Key("setup", format.Words(), func(c *Case) *format.Word { return &c.Setup }, "A script that prepares the workspace before the run, such as git init. It runs like a run step."),
			answersOfCase(),
			format.Key("on_ask", format.OneOf("allow", "deny"), func(c *Case) *string { return &c.OnAsk }, "The answer to calls that have to be asked for. Default: deny."),
			format.Over("expect", expect, func(c *Case) *expectations { return &c.Expect }, "What the run must come to.").Must(),
		},
	}
}

// answersOfCase is a map from units to the answers of a person.
func answersOfCase() format.Field[Case] {
	answers := format.Map("answers must be a map of steps to answers", "")
	return format.Field[Case]{
		Key: "answers", Doc: "What a person says, by step: the answer to its question, or allow or deny to its calls that have to be asked for.",
		Schema: answers.Schema,
		Read: func(r *format.Reader, n *tree.Node, c *Case) {
			answers.Read(r, n)
			for _, e := range n.Entries {
				c.Answers = append(c.Answers, givenAnswer{e.Key, e.Value})
			}
		},
	}
}

// modelOfCase is script/<file>, or a scripted model itself.
func modelOfCase() format.Field[Case] {
	script := workflows.ScriptShape()
	return format.Field[Case]{
		Key: "model", Doc: "script/<file>, a scripted model or a recording, or the turns themselves, as {steps: …}. Default: what the workflow names, which must be a script.",
		Read: func(r *format.Reader, n *tree.Node, c *Case) {
			switch n.Kind {
			case tree.KindMap:
				c.Model, _ = script.Read(r, n)
			case tree.KindString:
				name, scripted := strings.CutPrefix(n.Text, "script/")
				if !scripted || name == "" {
					r.Errorf(n, diagnostic.CodeModel, "%q is no script", tree.Clip(n.Text, 60)).Hint = "such as script/demo.script.yaml; a test asks no real model, flow test --live does"
					return
				}
				c.Script = format.Word{Text: pathOf(r, name), Node: n}
			default:
				r.Errorf(n, diagnostic.CodeValue, "a model must be script/<file>, or {steps: …}, not %s", n.Describe())
			}
		},
		Schema: func(w *format.Schema) any {
			return map[string]any{"anyOf": []any{map[string]any{"type": "string", "pattern": "^script/."}, script.Schema(w)}}
		},
	}
}

// filesOfCase is a folder that is copied, or a map from paths to contents.
func filesOfCase() format.Field[Case] {
	return format.Field[Case]{
		Key: "files", Doc: "What is in the case's workspace: a folder that is copied, or a map of paths to contents. Default: nothing.",
		Read: func(r *format.Reader, n *tree.Node, c *Case) {
			switch n.Kind {
			case tree.KindString:
				c.Folder = format.Word{Text: pathOf(r, n.Text), Node: n}
			case tree.KindMap:
				c.Contents = make(map[string]string, len(n.Entries))
				for _, e := range n.Entries {
					if content, ok := format.ScalarText(r, e.Value); ok && localPath(r, e.Key) {
						c.Contents[path.Clean(e.Key.Text)] = content
					}
				}
			default:
				r.Errorf(n, diagnostic.CodeValue, "files must be a folder, or a map of paths to contents, not %s", n.Describe())
			}
		},
		Schema: format.Fixed(map[string]any{"anyOf": []any{map[string]any{"type": "string"}, map[string]any{"type": "object", "additionalProperties": map[string]any{"type": []any{"string", "number", "boolean"}}}}}),
	}
}

// localPath reports a path that does not lead into the workspace.
func localPath(r *format.Reader, n *tree.Node) bool {
	clean := path.Clean(n.Text)
	if n.Text == "" || clean == "." || path.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../") || strings.ContainsRune(n.Text, 0) {
		r.Errorf(n, diagnostic.CodeValue, "%q is no path of a file in the workspace", tree.Clip(n.Text, 60)).Hint = "such as docs/index.md"
		return false
	}
	return true
}

func expectTable() *format.Object[expectations] {
	calls := callsTable()
	statuses := []string{"succeeded", "failed", "stopped", "cancelled", "waiting"}
	return &format.Object[expectations]{
		Name: "expect", What: "expect", Doc: "What the run must come to.",
		Fields: []format.Field[expectations]{
			format.Key("status", expected(format.OneOf(statuses...)), func(e *expectations) **expectedValue { return &e.Status }, "How the run ends. Default: succeeded, unless exit, or a stop_reason other than completed, says how."),
			format.Key("stop_reason", expected(format.OneOf(workflows.StopReasons()...)), func(e *expectations) **expectedValue { return &e.StopReason }, "Why the step ended that ended the run; of a run that succeeded, the last one."),
			format.Key("exit", expected(format.WholeNumber(0)), func(e *expectations) **expectedValue { return &e.Exit }, "The exit code of flow run."),
			format.Key("cost_usd", costShape(), func(e *expectations) **expectedCost { return &e.Cost }, "What the run costs: a number, or {min, max}."),
			outputsField(),
			format.Key("calls", format.ListOf("calls", format.Pointer(calls.Shape(func(_ *format.Reader, n *tree.Node) expectedCalls {
				return expectedCalls{Pos: n.Position(), step: n.Get("step"), tool: n.Get("tool")}
			}))), func(e *expectations) *[]*expectedCalls { return &e.Calls }, "Calls of tools that there must be."),
			format.Key("denied", expected(format.WholeNumber(0)), func(e *expectations) **expectedValue { return &e.Denied }, "How many calls are denied."),
			filesField(),
			format.Key("text", textShape(textTable("text", "a text")), func(e *expectations) **expectedText { return &e.Text }, "What flow run prints as the result: the text itself, or a map of what it must be."),
		},
	}
}

// expected is a value of a shape, with its position.
func expected[V any](s format.Shape[V]) format.Shape[*expectedValue] {
	return format.Pointer(format.Shape[expectedValue]{
		Read: func(r *format.Reader, n *tree.Node) (expectedValue, bool) {
			v, ok := s.Read(r, n)
			return expectedValue{Value: v, Pos: n.Position()}, ok
		},
		Schema: s.Schema,
	})
}

// costShape is a number, or bounds.
func costShape() format.Shape[*expectedCost] {
	bound := format.Decimal(0, math.Inf(1))
	table := &format.Object[expectedCost]{
		Name: "cost", What: "cost_usd", Doc: "Bounds of what the run costs.",
		Fields: []format.Field[expectedCost]{
			format.Key("min", format.Pointer(bound), func(c *expectedCost) **float64 { return &c.Least }, "At least so many USD."),
			format.Key("max", format.Pointer(bound), func(c *expectedCost) **float64 { return &c.Most }, "At most so many USD."),
		},
	}
	return format.Shape[*expectedCost]{
		Read: func(r *format.Reader, n *tree.Node) (*expectedCost, bool) {
			c := &expectedCost{Pos: n.Position()}
			if n.Kind == tree.KindMap {
				return c, table.Read(r, n, c)
			}
			v, ok := bound.Read(r, n)
			c.Least, c.Most = &v, &v
			return c, ok
		},
		Schema: func(w *format.Schema) any {
			return map[string]any{"anyOf": []any{bound.Schema(w), format.Define(w, table)}}
		},
	}
}

// outputsField is an expression, or the outputs by name.
func outputsField() format.Field[expectations] {
	condition := workflows.ConditionShape(map[string]any{"outputs": map[string]any{}, "steps": map[string]any{}, "files": map[string]any{}, "calls": []any{}})
	return format.Field[expectations]{
		Key: "outputs", Doc: "An expression over outputs, steps, calls and files that must hold, or the values of outputs by name.",
		Read: func(r *format.Reader, n *tree.Node, e *expectations) {
			if n.Kind != tree.KindMap {
				e.Condition, _ = condition.Read(r, n)
				return
			}
			for _, entry := range n.Entries {
				e.Outputs = append(e.Outputs, format.Named[expectedValue]{Name: entry.Key, Value: expectedValue{entry.Value.Data(), entry.Value.Position()}})
			}
		},
		Schema: format.Fixed(map[string]any{"type": []any{"string", "boolean", "object"}}),
	}
}

func callsTable() *format.Object[expectedCalls] {
	return &format.Object[expectedCalls]{
		Name: "calls", What: "a call", Doc: "Calls of tools. What is left out fits any call.",
		Fields: []format.Field[expectedCalls]{
			format.Key("step", format.Text(), func(c *expectedCalls) *string { return &c.Step }, "The path of the step, group/inner."),
			format.Key("tool", format.Text(), func(c *expectedCalls) *string { return &c.Tool }, "The tool."),
			format.Key("status", format.OneOf("succeeded", "failed", "denied", "cancelled"), func(c *expectedCalls) *string { return &c.Status }, "How the calls end."),
			format.Key("arguments", format.Mapped(format.Map("arguments must be a map", ""), func(n *tree.Node) map[string]any { data, _ := n.Data().(map[string]any); return data }),
				func(c *expectedCalls) *map[string]any { return &c.Arguments }, "Arguments that the calls have, among others."),
			format.Key("count", expected(format.WholeNumber(0)), func(c *expectedCalls) **expectedValue { return &c.Count }, "How many there are. Default: one, or more."),
		},
	}
}

// textTable is what a text may be expected to be, with other fields.
func textTable(name, what string, others ...format.Field[expectedText]) *format.Object[expectedText] {
	texts := format.OneOrMore(expected(format.PlainText()))
	return &format.Object[expectedText]{
		Name: name, What: what, Doc: "What " + what + " must be.",
		Fields: append([]format.Field[expectedText]{
			format.Key("equals", expected(format.PlainText()), func(t *expectedText) **expectedValue { return &t.Equals }, "The text itself."),
			format.Key("equals_file", format.Pointer(pathShape()), func(t *expectedText) **format.Word { return &t.EqualsFile }, "A file that has the text; flow test --update writes it."),
			format.Key("contains", texts, func(t *expectedText) *[]*expectedValue { return &t.Contains }, "What it has in it: a text, or several."),
			format.Key("lacks", texts, func(t *expectedText) *[]*expectedValue { return &t.Lacks }, "What it does not have in it."),
			{
				Key: "matches", Doc: "A regular expression (RE2) that fits somewhere in it.", Schema: format.Fixed(map[string]any{"type": "string"}),
				Read: func(r *format.Reader, n *tree.Node, t *expectedText) {
					pattern, ok := format.ScalarText(r, n)
					re, err := regexp.Compile(pattern)
					if ok && err != nil {
						r.Errorf(n, diagnostic.CodeValue, "the regular expression can't be read: %v", err)
						return
					}
					t.Matches = re
				},
			},
		}, others...),
	}
}

// textShape is a text itself, or a map of what it must be.
func textShape(table *format.Object[expectedText]) format.Shape[*expectedText] {
	whole := format.Shape[*expectedText]{
		Read: func(r *format.Reader, n *tree.Node) (*expectedText, bool) {
			equals, ok := expected(format.PlainText()).Read(r, n)
			return &expectedText{Pos: n.Position(), Equals: equals}, ok
		},
		Schema: format.PlainText().Schema,
	}
	return format.Either(format.IsMap, format.Pointer(table.Shape(func(_ *format.Reader, n *tree.Node) expectedText { return expectedText{Pos: n.Position()} })), whole)
}

// filesField is a map from paths to what the files must be at the end.
func filesField() format.Field[expectations] {
	exists := format.Key("exists", format.Mapped(format.Boolean(), func(there bool) bool { return !there }), func(t *expectedText) *bool { return &t.Absent }, "false: there is no such file.")
	file := textShape(textTable("file", "a file", exists))
	return format.Field[expectations]{
		Key: "files", Doc: "What files of the workspace must be in the end: path to content, or to a map of what it must be.",
		Read: func(r *format.Reader, n *tree.Node, e *expectations) {
			format.Map("files must be a map of paths to what they must be", "").Read(r, n)
			for _, entry := range n.Entries {
				if !localPath(r, entry.Key) {
					continue
				}
				if text, ok := file.Read(r, entry.Value); ok {
					text.Pos = entry.Key.Position()
					e.Files = append(e.Files, expectedFile{path.Clean(entry.Key.Text), text})
				}
			}
		},
		Schema: func(w *format.Schema) any {
			return map[string]any{"type": "object", "additionalProperties": file.Schema(w)}
		},
	}
}
