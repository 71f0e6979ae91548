package workflows

import (
	"math"
	"path"
	"regexp"
	"strings"

	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
	"github.com/a-seed-11b9befa/flow/workflows/internal/expression"
	"github.com/a-seed-11b9befa/flow/workflows/internal/tree"
)

const maxCases = 10_000 // of one file

// testsTable is the top of a test file.
func testsTable() *object[TestFile] {
	one := caseTable()
	cases := someOf("cases", maxCases, pointer(one.shape(func(_ *parser, n *tree.Node) TestCase { return TestCase{Pos: n.Position(), node: n} })))
	return &object[TestFile]{
		name: "tests", what: "a file of tests", doc: "Cases of what a workflow does, with a scripted model.",
		fields: []field[TestFile]{
			key("workflow", wordShape(), func(t *TestFile) *word { return &t.workflow }, "The workflow's file; its path starts at the folder of this one.").must(),
			key("cases", cases, func(t *TestFile) *[]*TestCase { return &t.Cases }, "What is tried, each in a workspace of its own.").must(),
		},
	}
}

func caseTable() *object[TestCase] {
	expect := expectTable()
	return &object[TestCase]{
		name: "case", what: "a case", doc: "A run of the workflow, and what is expected of it.",
		fields: []field[TestCase]{
			key("name", text(), func(c *TestCase) *string { return &c.Name }, "What the case is called.").must(),
			modelOfCase(),
			key("inputs", mapNode("inputs must be a map", "each stands under its name, without a dash: inputs: {topic: news}"), func(c *TestCase) **tree.Node { return &c.inputs }, "The workflow's inputs, by name."),
			key("env", mapOf("env", text()), func(c *TestCase) *map[string]string { return &c.Env }, "Variables that the workflow names, in place of those that are set."),
			filesOfCase(),
			key("setup", wordShape(), func(c *TestCase) *word { return &c.setup }, "A script that prepares the workspace before the run, such as git init. It runs like a run step."),
			answersOfCase(),
			key("on_ask", oneOf("allow", "deny"), func(c *TestCase) *string { return &c.OnAsk }, "The answer to calls that have to be asked for. Default: deny."),
			over("expect", expect, func(c *TestCase) *Expectations { return &c.Expect }, "What the run must come to.").must(),
		},
	}
}

// answersOfCase is a map from units to the answers of a person.
func answersOfCase() field[TestCase] {
	answers := mapNode("answers must be a map of steps to answers", "")
	return field[TestCase]{
		key: "answers", doc: "What a person says, by step: the answer to its question, or allow or deny to its calls that have to be asked for.",
		schema: answers.schema,
		read: func(p *parser, n *tree.Node, c *TestCase) {
			answers.read(p, n)
			for _, e := range n.Entries {
				c.Answers = append(c.Answers, TestAnswer{Unit: e.Key.Text, Value: e.Value.Data(), Pos: e.Key.Position(), unit: e.Key, value: e.Value})
			}
		},
	}
}

// modelOfCase is script/<file>, or a scripted model itself.
func modelOfCase() field[TestCase] {
	table := scriptTable()
	return field[TestCase]{
		key: "model", doc: "script/<file>, a scripted model or a recording, or the turns themselves, as {steps: …}. Default: what the workflow names, which must be a script.",
		read: func(p *parser, n *tree.Node, c *TestCase) {
			switch n.Kind {
			case tree.KindMap:
				var draft scriptDraft
				table.read(p, n, &draft)
				c.Model = p.scriptedModel(&draft)
			case tree.KindString:
				name, scripted := strings.CutPrefix(n.Text, "script/")
				if !scripted || name == "" {
					p.Errorf(n, diagnostic.CodeModel, "%q is no script", tree.Clip(n.Text, 60)).Hint = scriptHint(n.Text)
					return
				}
				c.script, c.Script = n, p.path(name)
			default:
				p.Errorf(n, diagnostic.CodeValue, "a model must be script/<file>, or {steps: …}, not %s", n.Describe())
			}
		},
		schema: func(w *schemaWriter) any {
			return map[string]any{"anyOf": []any{map[string]any{"type": "string", "pattern": "^script/."}, define(w, table)}}
		},
	}
}

func scriptHint(text string) string {
	if strings.HasSuffix(text, ".yaml") || strings.HasSuffix(text, ".yml") {
		return "write script/" + tree.Clip(text, 60)
	}
	return "a test asks no real model; flow test --live does"
}

// filesOfCase is a folder that is copied, or a map from paths to contents.
func filesOfCase() field[TestCase] {
	return field[TestCase]{
		key: "files", doc: "What is in the case's workspace: a folder that is copied, or a map of paths to contents. Default: nothing.",
		read: func(p *parser, n *tree.Node, c *TestCase) {
			switch n.Kind {
			case tree.KindString:
				c.folder, c.Folder = n, p.path(n.Text)
			case tree.KindMap:
				c.Contents = make(map[string]string, len(n.Entries))
				for _, e := range n.Entries {
					if content, ok := scalarText(p, e.Value); ok && p.localPath(e.Key) {
						c.Contents[path.Clean(e.Key.Text)] = content
					}
				}
			default:
				p.Errorf(n, diagnostic.CodeValue, "files must be a folder, or a map of paths to contents, not %s", n.Describe())
			}
		},
		schema: fixed(map[string]any{"anyOf": []any{map[string]any{"type": "string"}, map[string]any{"type": "object", "additionalProperties": map[string]any{"type": []any{"string", "number", "boolean"}}}}}),
	}
}

// localPath reports a path that does not lead into the workspace.
func (p *parser) localPath(n *tree.Node) bool {
	clean := path.Clean(n.Text)
	if n.Text == "" || clean == "." || path.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../") || strings.ContainsRune(n.Text, 0) {
		p.Errorf(n, diagnostic.CodeValue, "%q is no path of a file in the workspace", tree.Clip(n.Text, 60)).Hint = "such as docs/index.md"
		return false
	}
	return true
}

func expectTable() *object[Expectations] {
	calls, file, text := expectedCallsTable(), expectedFileTable(), expectedTextTable()
	statuses := []string{"succeeded", "failed", "stopped", "cancelled", "waiting"}
	return &object[Expectations]{
		name: "expect", what: "expect", doc: "What the run must come to.",
		fields: []field[Expectations]{
			key("status", expected(oneOf(statuses...)), func(e *Expectations) **Expected { return &e.Status }, "How the run ends. Default: succeeded, unless exit, or a stop_reason other than completed, says how."),
			key("stop_reason", expected(oneOf(expression.StopReasons()...)), func(e *Expectations) **Expected { return &e.StopReason }, "Why the step ended that ended the run; of a run that succeeded, the last one."),
			key("exit", expected(wholeNumber(0)), func(e *Expectations) **Expected { return &e.Exit }, "The exit code of flow run."),
			key("cost_usd", expectedCost(), func(e *Expectations) **ExpectedCost { return &e.Cost }, "What the run costs: a number, or {min, max}."),
			expectedOutputs(),
			key("calls", listOf("calls", pointer(calls.shape(func(_ *parser, n *tree.Node) ExpectedCalls {
				return ExpectedCalls{Pos: n.Position(), step: n.Get("step"), tool: n.Get("tool")}
			}))), func(e *Expectations) *[]*ExpectedCalls { return &e.Calls }, "Calls of tools that there must be."),
			key("denied", expected(wholeNumber(0)), func(e *Expectations) **Expected { return &e.Denied }, "How many calls are denied."),
			expectedFiles(file),
			key("text", expectedText(text), func(e *Expectations) **ExpectedText { return &e.Text }, "What flow run prints as the result: the text itself, or a map of what it must be."),
		},
	}
}

// expected is a value of a shape, with its position.
func expected[V any](s shape[V]) shape[*Expected] {
	return pointer(shape[Expected]{
		read: func(p *parser, n *tree.Node) (Expected, bool) {
			v, ok := s.read(p, n)
			return Expected{Value: v, Pos: n.Position()}, ok
		},
		schema: s.schema,
	})
}

// plainText is a text in which ${{ means nothing.
func plainText() shape[string] { return shape[string]{read: scalarText, schema: textSchema} }

// expectedCost is a number, or bounds.
func expectedCost() shape[*ExpectedCost] {
	bound := decimal(0, math.Inf(1))
	table := &object[ExpectedCost]{
		name: "cost", what: "cost_usd", doc: "Bounds of what the run costs.",
		fields: []field[ExpectedCost]{
			key("min", pointer(bound), func(c *ExpectedCost) **float64 { return &c.Least }, "At least so many USD."),
			key("max", pointer(bound), func(c *ExpectedCost) **float64 { return &c.Most }, "At most so many USD."),
		},
	}
	return shape[*ExpectedCost]{
		read: func(p *parser, n *tree.Node) (*ExpectedCost, bool) {
			c := &ExpectedCost{Pos: n.Position()}
			if n.Kind == tree.KindMap {
				return c, table.read(p, n, c) != nil
			}
			v, ok := bound.read(p, n)
			c.Least, c.Most = &v, &v
			return c, ok
		},
		schema: func(w *schemaWriter) any {
			return map[string]any{"anyOf": []any{bound.schema(w), define(w, table)}}
		},
	}
}

// expectedOutputs is an expression, or the outputs by name.
func expectedOutputs() field[Expectations] {
	return field[Expectations]{
		key: "outputs", doc: "An expression over outputs, steps, calls and files that must hold, or the values of outputs by name.",
		read: func(p *parser, n *tree.Node, e *Expectations) {
			if n.Kind != tree.KindMap {
				e.Condition = p.condition(n)
				return
			}
			for _, entry := range n.Entries {
				e.Outputs = append(e.Outputs, ExpectedOutput{entry.Key.Text, Expected{entry.Value.Data(), entry.Value.Position()}, entry.Key})
			}
		},
		schema: fixed(map[string]any{"type": []any{"string", "boolean", "object"}}),
	}
}

func expectedCallsTable() *object[ExpectedCalls] {
	return &object[ExpectedCalls]{
		name: "calls", what: "a call", doc: "Calls of tools. What is left out fits any call.",
		fields: []field[ExpectedCalls]{
			key("step", text(), func(c *ExpectedCalls) *string { return &c.Step }, "The path of the step, group/inner."),
			key("tool", text(), func(c *ExpectedCalls) *string { return &c.Tool }, "The tool."),
			key("status", oneOf("succeeded", "failed", "denied", "cancelled"), func(c *ExpectedCalls) *string { return &c.Status }, "How the calls end."),
			key("arguments", mapped(mapNode("arguments must be a map", ""), func(n *tree.Node) map[string]any { data, _ := n.Data().(map[string]any); return data }),
				func(c *ExpectedCalls) *map[string]any { return &c.Arguments }, "Arguments that the calls have, among others."),
			key("count", expected(wholeNumber(0)), func(c *ExpectedCalls) **Expected { return &c.Count }, "How many there are. Default: one, or more."),
		},
	}
}

// textFields are what a text may be expected to be.
func textFields[T any](at func(*T) *ExpectedText) []field[T] {
	return []field[T]{
		key("equals", expected(plainText()), func(into *T) **Expected { return &at(into).Equals }, "The text itself."),
		{
			key: "equals_file", doc: "A file that has the text; flow test --update writes it.", schema: fixed(map[string]any{"type": "string"}),
			read: func(p *parser, n *tree.Node, into *T) {
				if name, ok := text().read(p, n); ok {
					at(into).EqualsFile = &Golden{Path: p.path(name), Pos: n.Position()}
				}
			},
		},
		key("contains", oneOrMore(containedText()), func(into *T) *[]Expected { return &at(into).Contains }, "What it has in it: a text, or several."),
		key("lacks", oneOrMore(containedText()), func(into *T) *[]Expected { return &at(into).Lacks }, "What it does not have in it."),
		{
			key: "matches", doc: "A regular expression (RE2) that fits somewhere in it.", schema: fixed(map[string]any{"type": "string"}),
			read: func(p *parser, n *tree.Node, into *T) {
				pattern, ok := scalarText(p, n)
				re, err := regexp.Compile(pattern)
				if ok && err != nil {
					p.Errorf(n, diagnostic.CodeValue, "the regular expression can't be read: %v", err)
					return
				}
				at(into).Matches = re
			},
		},
	}
}

// containedText is a part of a text.
func containedText() shape[Expected] {
	return shape[Expected]{
		read: func(p *parser, n *tree.Node) (Expected, bool) {
			s, ok := scalarText(p, n)
			return Expected{Value: s, Pos: n.Position()}, ok
		},
		schema: textSchema,
	}
}

func expectedTextTable() *object[ExpectedText] {
	return &object[ExpectedText]{
		name: "text", what: "a text", doc: "What a text must be.",
		fields: textFields(func(t *ExpectedText) *ExpectedText { return t }),
	}
}

// expectedText is a text itself, or a map of what it must be.
func expectedText(table *object[ExpectedText]) shape[*ExpectedText] {
	whole := shape[*ExpectedText]{
		read: func(p *parser, n *tree.Node) (*ExpectedText, bool) {
			equals, ok := expected(plainText()).read(p, n)
			return &ExpectedText{Pos: n.Position(), Equals: equals}, ok
		},
		schema: plainText().schema,
	}
	return either(isMap, pointer(table.shape(func(_ *parser, n *tree.Node) ExpectedText { return ExpectedText{Pos: n.Position()} })), whole)
}

func expectedFileTable() *object[ExpectedFile] {
	fields := textFields(func(f *ExpectedFile) *ExpectedText { return &f.ExpectedText })
	exists := key("exists", mapped(boolean(), func(there bool) bool { return !there }), func(f *ExpectedFile) *bool { return &f.Absent }, "false: there is no such file.")
	return &object[ExpectedFile]{
		name: "file", what: "a file", doc: "What a file must be.", fields: append(fields, exists),
	}
}

// expectedFiles is a map from paths to what the files must be at the end.
func expectedFiles(table *object[ExpectedFile]) field[Expectations] {
	return field[Expectations]{
		key: "files", doc: "What files of the workspace must be in the end: path to content, or to a map of what it must be.",
		read: func(p *parser, n *tree.Node, e *Expectations) {
			mapNode("files must be a map of paths to what they must be", "").read(p, n)
			for _, entry := range n.Entries {
				if !p.localPath(entry.Key) {
					continue
				}
				f := &ExpectedFile{Path: path.Clean(entry.Key.Text), ExpectedText: ExpectedText{Pos: entry.Key.Position()}}
				if isMap(entry.Value) {
					table.read(p, entry.Value, f)
				} else if equals, ok := expected(plainText()).read(p, entry.Value); ok {
					f.Equals = equals
				}
				e.Files = append(e.Files, f)
			}
		},
		schema: func(w *schemaWriter) any {
			value := map[string]any{"anyOf": []any{map[string]any{"type": []any{"string", "number", "boolean"}}, define(w, table)}}
			return map[string]any{"type": "object", "additionalProperties": value}
		},
	}
}
