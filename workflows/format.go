package workflows

import (
	"encoding/json"
	"time"

	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
	"github.com/a-seed-11b9befa/flow/workflows/internal/tree"
)

// A format has the tables of a file and its steps, which refer to those of the objects in them.
// The parser reads by them, and [Schema] describes them.
type format struct {
	file *object[fileDraft]
	step *object[stepDraft] // steps contain each other: their list refers to the format itself
}

func newFormat() *format {
	f := &format{}
	f.step = f.stepTable()
	f.file = f.fileTable()
	return f
}

// A fileDraft is a workflow while its file is read.
type fileDraft struct {
	workflow Workflow
	defaults defaults
	inputs   []named[*tree.Node]
	env      variablesDraft
	secrets  []word
	custom   []named[CustomTool]
	servers  []named[Server]
	steps    []*stepDraft
	outputs  []named[*Value]
	models   []named[[]word]
}

// defaults are what each step starts from.
type defaults struct {
	agent Agent
	retry Retry
}

// builtInDefaults are what a file's own defaults start from.
func builtInDefaults() defaults {
	return defaults{
		agent: Agent{
			Stop:     Stop{MaxTurns: 50, RepeatedCalls: 5},
			Truncate: Truncate{Lines: 2000, Bytes: 51_200, LineChars: 2000},
			MaxFixes: 3,
		},
		retry: Retry{MaxAttempts: 1, Backoff: time.Second, MaxBackoff: time.Minute},
	}
}

func (f *format) fileTable() *object[fileDraft] {
	return &object[fileDraft]{
		name: "workflow", what: "a workflow", doc: "A declarative workflow of agent, command and tool steps.",
		open:   true,
		fields: append(headFields(), f.defaultFields()...),
	}
}

// headFields are the keys for the whole file.
func headFields() []field[fileDraft] {
	return []field[fileDraft]{
		key("name", text(), func(d *fileDraft) *string { return &d.workflow.Name }, "The recipe's name.").must(),
		key("description", text(), func(d *fileDraft) *string { return &d.workflow.Description }, "What the workflow does."),
		key("version", text(), func(d *fileDraft) *string { return &d.workflow.Version }, "The recipe's own version."),
		key("models", entriesOf("models", oneOrMore(wordShape())), func(d *fileDraft) *[]named[[]word] { return &d.models }, "Short names of models: each stands for provider/model, or a list of them."),
		key("providers", mapOf("providers", endpointTable().shape(zero)), func(d *fileDraft) *map[string]Endpoint { return &d.workflow.Providers }, "Endpoints of one's own, by name."),
		key("inputs", entriesOf("inputs", inputShape()), func(d *fileDraft) *[]named[*tree.Node] { return &d.inputs }, "What the caller gives: name to JSON Schema keywords and default. An input without default is required."),
		key("env", variables(), func(d *fileDraft) *variablesDraft { return &d.env }, "Variables of the environment that expressions and commands may read: names such as HOME, patterns such as GITHUB_*, and maps of variables with values of their own."),
		key("secrets", listOf("secrets", wordShape()), func(d *fileDraft) *[]word { return &d.secrets }, "Names of environment variables whose values are masked wherever the runner writes."),
		key("prices", mapOf("prices", priceTable().shape(zero)), func(d *fileDraft) *map[string]Price { return &d.workflow.Prices }, "Prices by provider/model, in USD for a million tokens."),
		key("workspace", pathText(), func(d *fileDraft) **Template { return &d.workflow.Workspace }, "The folder that file tools may touch. Default: where flow was started."),
		key("custom_tools", entriesOf("custom_tools", customTable().shape(newCustomTool)), func(d *fileDraft) *[]named[CustomTool] { return &d.custom }, "Commands that models may call as tools, by name."),
		key("mcp", entriesOf("mcp", serverTable().shape(newServer)), func(d *fileDraft) *[]named[Server] { return &d.servers }, "MCP servers by name; a tool of one is called server_tool."),
		permissionsField(func(d *fileDraft) *Permissions { return &d.workflow.Permissions }, func(d *fileDraft) *[]Example { return &d.workflow.Examples }, "Rules for the calls of every step."),
		key("sandbox", sandboxShape(), func(d *fileDraft) *Sandbox { return &d.workflow.Sandbox }, "What the kernel holds the commands of models to: auto, required, off, or a map."),
		key("budget", budgetTable().shape(zero), func(d *fileDraft) *Budget { return &d.workflow.Budget }, "Bounds for the whole run."),
	}
}

// defaultFields are the keys that give the defaults of steps, then the agents and the
// steps. Fields are read in this order, so the defaults are complete before a step
// starts from them.
func (f *format) defaultFields() []field[fileDraft] {
	return []field[fileDraft]{
		key("model", modelShape(), func(d *fileDraft) **Value { return &d.defaults.agent.Model }, "provider/model, a short name, or a list: the next is tried when one is unavailable."),
		key("system", templateText(), func(d *fileDraft) **Template { return &d.defaults.agent.System }, "The system prompt of agent steps."),
		key("instructions", oneOrMore(templateText()), func(d *fileDraft) *[]*Template { return &d.defaults.agent.Instructions }, "Files that are added to the system prompt, such as AGENTS.md."),
		over("params", paramsTable(), func(d *fileDraft) *Params { return &d.defaults.agent.Params }, "Sampling parameters."),
		over("stop", stopTable(), func(d *fileDraft) *Stop { return &d.defaults.agent.Stop }, "When an agent stops."),
		over("truncate", truncateTable(), func(d *fileDraft) *Truncate { return &d.defaults.agent.Truncate }, "How long outputs of tools and commands may be."),
		over("context", contextTable(), func(d *fileDraft) *Context { return &d.defaults.agent.Context }, "How conversations stay within their model's window."),
		key("cache", cacheShape(), func(d *fileDraft) *Cache { return &d.defaults.agent.Cache }, "true: what models answer is kept, and given again to the same requests, once the step has succeeded. Default false."),
		key("tools", listOf("tools", toolEntry()), func(d *fileDraft) *[]ToolEntry { return &d.defaults.agent.Tools }, "What a step offers its model unless it says otherwise."),
		over("retry", retryTable(), func(d *fileDraft) *Retry { return &d.defaults.retry }, "How often a failed step is tried again."),
		agentsField(),
		key("steps", f.stepList(), func(d *fileDraft) *[]*stepDraft { return &d.steps }, "What is done, from top to bottom.").must(),
		key("findings", anything(), func(d *fileDraft) **Value { return &d.workflow.Findings }, "What the run has found in files: a list of objects with file, line and message, for SARIF, annotations and summaries."),
		key("outputs", entriesOf("outputs", anything()), func(d *fileDraft) *[]named[*Value] { return &d.outputs }, "What the run returns."),
	}
}

// over is a field for an object whose keys override those that are set already.
func over[T, V any](name string, o *object[V], at func(*T) *V, doc string) field[T] {
	return field[T]{
		key: name, doc: doc,
		read:   func(p *parser, n *tree.Node, into *T) { o.read(p, n, at(into)) },
		schema: func(w *schemaWriter) any { return define(w, o) },
	}
}

// oneOrMore is one value or a list of them.
func oneOrMore[V any](s shape[V]) shape[[]V] {
	one := shape[[]V]{
		read: func(p *parser, n *tree.Node) ([]V, bool) {
			v, ok := s.read(p, n)
			return []V{v}, ok
		},
		schema: s.schema,
	}
	return either(func(n *tree.Node) bool { return n.Kind == tree.KindList }, listOf("it", s), one)
}

// inputShape is a JSON Schema with a default; [parser.readInput] reads it.
func inputShape() shape[*tree.Node] {
	return shape[*tree.Node]{
		read: func(p *parser, n *tree.Node) (*tree.Node, bool) {
			if n.Kind != tree.KindMap {
				p.Errorf(n, diagnostic.CodeValue, "an input must be a map of JSON Schema keywords, not %s", n.Describe()).Hint = "such as {type: string, default: x}"
				return nil, false
			}
			return n, true
		},
		schema: fixed(map[string]any{"$ref": metaschema, "properties": map[string]any{"default": true}}),
	}
}

// metaschema is the schema of JSON Schemas.
const metaschema = "https://json-schema.org/draft/2020-12/schema"

func jsonSchema() shape[json.RawMessage] {
	return shape[json.RawMessage]{read: (*parser).schemaText, schema: fixed(map[string]any{"$ref": metaschema})}
}

// modelShape is a model or a list of them, with expressions.
func modelShape() shape[*Value] {
	return shape[*Value]{
		read: func(p *parser, n *tree.Node) (*Value, bool) {
			for _, item := range append(n.Items, n)[:max(1, len(n.Items))] {
				if item.Kind != tree.KindString {
					p.Errorf(item, diagnostic.CodeValue, "a model must be provider/model, not %s", item.Describe()).Hint = "such as openai/gpt-5-mini"
					return nil, false
				}
			}
			v := p.anyValue(n)
			return v, len(n.Items) > 0 || n.Kind == tree.KindString
		},
		schema: fixed(map[string]any{"anyOf": []any{
			map[string]any{"type": "string"},
			map[string]any{"type": "array", "items": map[string]any{"type": "string"}, "minItems": 1},
		}}),
	}
}
