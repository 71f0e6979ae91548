package workflows

import (
	"encoding/json"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/format"

	"github.com/a-seed-11b9befa/flow/internal/tree"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// A formats has the tables of a file and its steps, which refer to those of the objects in them.
// The parser reads by them, and [Schema] describes them.
type formats struct {
	file *format.Object[fileDraft]
	step *format.Object[stepDraft] // steps contain each other: their list refers to the format itself
}

func newFormat() *formats {
	f := &formats{}
	f.step = f.stepTable()
	f.file = f.fileTable()
	return f
}

// A fileDraft is a workflow while its file is read.
type fileDraft struct {
	workflow Workflow
	defaults defaults
	inputs   []format.Named[*tree.Node]
	env      variablesDraft
	secrets  []word
	custom   []format.Named[CustomTool]
	servers  []format.Named[Server]
	steps    []*stepDraft
	outputs  []format.Named[*Value]
	models   []format.Named[[]word]
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

func (f *formats) fileTable() *format.Object[fileDraft] {
	return &format.Object[fileDraft]{
		Name: "workflow", What: "a workflow", Doc: "A declarative workflow of agent, command and tool steps.",
		Open:   true,
		Fields: append(headFields(), f.defaultFields()...),
	}
}

// headFields are the keys for the whole file.
func headFields() []format.Field[fileDraft] {
	return []format.Field[fileDraft]{
		format.Key("name", format.Text(), func(d *fileDraft) *string { return &d.workflow.Name }, "The recipe's name.").Must(),
		format.Key("description", format.Text(), func(d *fileDraft) *string { return &d.workflow.Description }, "What the workflow does."),
		format.Key("version", format.Text(), func(d *fileDraft) *string { return &d.workflow.Version }, "The recipe's own version."),
		format.Key("models", format.EntriesOf("models", format.OneOrMore(format.Words())), func(d *fileDraft) *[]format.Named[[]word] { return &d.models }, "Short names of models: each stands for provider/model, or a list of them."),
		format.Key("providers", format.MapOf("providers", endpointTable().Shape(nil)), func(d *fileDraft) *map[string]Endpoint { return &d.workflow.Providers }, "Endpoints of one's own, by name."),
		format.Key("inputs", format.EntriesOf("inputs", inputShape()), func(d *fileDraft) *[]format.Named[*tree.Node] { return &d.inputs }, "What the caller gives: name to JSON Schema keywords and default. An input without default is required."),
		format.Key("env", variables(), func(d *fileDraft) *variablesDraft { return &d.env }, "Variables of the environment that expressions and commands may read: names such as HOME, patterns such as GITHUB_*, and maps of variables with values of their own."),
		format.Key("secrets", format.ListOf("secrets", format.Words()), func(d *fileDraft) *[]word { return &d.secrets }, "Names of environment variables whose values are masked wherever the runner writes."),
		format.Key("prices", format.MapOf("prices", priceTable().Shape(nil)), func(d *fileDraft) *map[string]Price { return &d.workflow.Prices }, "Prices by provider/model, in USD for a million tokens."),
		format.Key("workspace", pathText(), func(d *fileDraft) **Template { return &d.workflow.Workspace }, "The folder that file tools may touch. Default: where flow was started."),
		format.Key("custom_tools", format.EntriesOf("custom_tools", customTable().Shape(newCustomTool)), func(d *fileDraft) *[]format.Named[CustomTool] { return &d.custom }, "Commands that models may call as tools, by name."),
		format.Key("mcp", format.EntriesOf("mcp", serverTable().Shape(newServer)), func(d *fileDraft) *[]format.Named[Server] { return &d.servers }, "MCP servers by name; a tool of one is called server_tool."),
		permissionsField(func(d *fileDraft) *Permissions { return &d.workflow.Permissions }, func(d *fileDraft) *[]Example { return &d.workflow.Examples }, "Rules for the calls of every step."),
		format.Key("sandbox", sandboxShape(), func(d *fileDraft) *Sandbox { return &d.workflow.Sandbox }, "What the kernel holds the commands of models to: auto, required, off, or a map."),
		format.Key("budget", budgetTable().Shape(nil), func(d *fileDraft) *Budget { return &d.workflow.Budget }, "Bounds for the whole run."),
	}
}

// defaultFields are the keys that give the defaults of steps, then the agents and the
// steps. Fields are read in this order, so the defaults are complete before a step
// starts from them.
func (f *formats) defaultFields() []format.Field[fileDraft] {
	return []format.Field[fileDraft]{
		format.Key("model", modelShape(), func(d *fileDraft) **Value { return &d.defaults.agent.Model }, "provider/model, a short name, or a list: the next is tried when one is unavailable."),
		format.Key("system", templateText(), func(d *fileDraft) **Template { return &d.defaults.agent.System }, "The system prompt of agent steps."),
		format.Key("instructions", format.OneOrMore(templateText()), func(d *fileDraft) *[]*Template { return &d.defaults.agent.Instructions }, "Files that are added to the system prompt, such as AGENTS.md."),
		format.Over("params", paramsTable(), func(d *fileDraft) *Params { return &d.defaults.agent.Params }, "Sampling parameters."),
		format.Over("stop", stopTable(), func(d *fileDraft) *Stop { return &d.defaults.agent.Stop }, "When an agent stops."),
		format.Over("truncate", truncateTable(), func(d *fileDraft) *Truncate { return &d.defaults.agent.Truncate }, "How long outputs of tools and commands may be."),
		format.Over("context", contextTable(), func(d *fileDraft) *Context { return &d.defaults.agent.Context }, "How conversations stay within their model's window."),
		format.Key("cache", cacheShape(), func(d *fileDraft) *Cache { return &d.defaults.agent.Cache }, "true: what models answer is kept, and given again to the same requests, once the step has succeeded. Default false."),
		format.Key("tools", format.ListOf("tools", toolEntry()), func(d *fileDraft) *[]ToolEntry { return &d.defaults.agent.Tools }, "What a step offers its model unless it says otherwise."),
		format.Over("retry", retryTable(), func(d *fileDraft) *Retry { return &d.defaults.retry }, "How often a failed step is tried again."),
		agentsField(),
		format.Key("steps", f.stepList(), func(d *fileDraft) *[]*stepDraft { return &d.steps }, "What is done, from top to bottom.").Must(),
		format.Key("findings", anything(), func(d *fileDraft) **Value { return &d.workflow.Findings }, "What the run has found in files: a list of objects with file, line and message, for SARIF, annotations and summaries."),
		format.Key("outputs", format.EntriesOf("outputs", anything()), func(d *fileDraft) *[]format.Named[*Value] { return &d.outputs }, "What the run returns."),
	}
}

// inputShape is a JSON Schema with a default; [parser.readInput] reads it.
func inputShape() format.Shape[*tree.Node] {
	return format.Shape[*tree.Node]{
		Read: func(r *format.Reader, n *tree.Node) (*tree.Node, bool) {
			if n.Kind != tree.KindMap {
				r.Errorf(n, diagnostic.CodeValue, "an input must be a map of JSON Schema keywords, not %s", n.Describe()).Hint = "such as {type: string, default: x}"
				return nil, false
			}
			return n, true
		},
		Schema: format.Fixed(map[string]any{"$ref": format.Metaschema, "properties": map[string]any{"default": true}}),
	}
}

func jsonSchema() format.Shape[json.RawMessage] {
	return format.Shape[json.RawMessage]{Read: func(r *format.Reader, n *tree.Node) (json.RawMessage, bool) { return parserOf(r).schemaText(n) }, Schema: format.Fixed(map[string]any{"$ref": format.Metaschema})}
}

// modelShape is a model or a list of them, with expressions.
func modelShape() format.Shape[*Value] {
	return format.Shape[*Value]{
		Read: func(r *format.Reader, n *tree.Node) (*Value, bool) {
			p := parserOf(r)
			for _, item := range append(n.Items, n)[:max(1, len(n.Items))] {
				if item.Kind != tree.KindString {
					p.Errorf(item, diagnostic.CodeValue, "a model must be provider/model, not %s", item.Describe()).Hint = "such as openai/gpt-5-mini"
					return nil, false
				}
			}
			v := p.anyValue(n)
			return v, len(n.Items) > 0 || n.Kind == tree.KindString
		},
		Schema: format.Fixed(map[string]any{"anyOf": []any{
			map[string]any{"type": "string"},
			map[string]any{"type": "array", "items": map[string]any{"type": "string"}, "minItems": 1},
		}}),
	}
}
