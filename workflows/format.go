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
	file *format.Object[parser]
	step *format.Object[Step] // steps contain each other: their list refers to the format itself
}

func newFormat() *formats {
	f := &formats{}
	f.step = f.stepTable()
	f.file = &format.Object[parser]{
		Name: "workflow", What: "a workflow", Doc: "A declarative workflow of agent, command and tool steps.",
		Open:   true,
		Fields: append(headFields(), f.defaultFields()...),
	}
	return f
}

// builtInDefaults are what a file's own defaults start from.
func builtInDefaults() Step {
	return Step{
		Agent:       &Agent{Stop: Stop{MaxTurns: 50, RepeatedCalls: 5}, MaxFixes: 3},
		Truncate:    Truncate{Lines: 2000, Bytes: 51_200, LineChars: 2000},
		Retry:       Retry{MaxAttempts: 1, Backoff: time.Second, MaxBackoff: time.Minute},
		Output:      OutputSpec{Kind: OutputText},
		As:          "item",
		MaxParallel: 4,
	}
}

// headFields are the keys for the whole file.
func headFields() []format.Field[parser] {
	return []format.Field[parser]{
		format.Key("name", format.Text(), func(p *parser) *string { return &p.workflow.Name }, "The recipe's name.").Must(),
		format.Key("description", format.Text(), func(p *parser) *string { return &p.workflow.Description }, "What the workflow does."),
		format.Key("version", format.Text(), func(p *parser) *string { return &p.workflow.Version }, "The recipe's own version."),
		format.Key("models", format.EntriesOf("models", format.OneOrMore(format.Words())), func(p *parser) *[]format.Named[[]word] { return &p.models }, "Short names of models: each stands for provider/model, or a list of them."),
		format.Key("providers", format.MapOf("providers", endpointTable().Shape(nil)), func(p *parser) *map[string]Endpoint { return &p.workflow.Providers }, "Endpoints of one's own, by name."),
		format.Key("inputs", inputs(), func(p *parser) *[]Input { return &p.workflow.Inputs }, "What the caller gives: name to JSON Schema keywords and default. An input without default is required."),
		format.Key("env", variables(), func(p *parser) *Variables { return &p.workflow.Env }, "Variables of the environment that expressions and commands may read: names such as HOME, patterns such as GITHUB_*, and maps of variables with values of their own."),
		format.Key("secrets", secrets(), func(p *parser) *[]string { return &p.workflow.Secrets }, "Names of environment variables whose values are masked wherever the runner writes."),
		format.Key("prices", format.MapOf("prices", priceTable().Shape(nil)), func(p *parser) *map[string]Price { return &p.workflow.Prices }, "Prices by provider/model, in USD for a million tokens."),
		format.Key("workspace", pathText(), func(p *parser) **Template { return &p.workflow.Workspace }, "The folder that file tools may touch. Default: where flow was started."),
		format.Key("custom_tools", customTools(), func(p *parser) *map[string]*CustomTool { return &p.workflow.CustomTools }, "Commands that models may call as tools, by name."),
		format.Key("mcp", servers(), func(p *parser) *map[string]*Server { return &p.workflow.MCP }, "MCP servers by name; a tool of one is called server_tool."),
		permissionsField(func(p *parser) *Permissions { return &p.workflow.Permissions }, func(p *parser) *[]Example { return &p.workflow.Examples }, "Rules for the calls of every step."),
		format.Key("sandbox", sandboxShape(), func(p *parser) *Sandbox { return &p.workflow.Sandbox }, "What the kernel holds the commands of models to: auto, required, off, or a map."),
		format.Key("budget", budgetTable().Shape(nil), func(p *parser) *Budget { return &p.workflow.Budget }, "Bounds for the whole run."),
	}
}

// defaultFields are the keys that give the defaults of steps, then the agents and the
// steps. Fields are read in this order, so the defaults are complete before a step
// starts from them.
func (f *formats) defaultFields() []format.Field[parser] {
	return []format.Field[parser]{
		format.Key("model", modelShape(), func(p *parser) **Value { return &p.defaults.Agent.Model }, "provider/model, a short name, or a list: the next is tried when one is unavailable."),
		format.Key("system", templateText(), func(p *parser) **Template { return &p.defaults.Agent.System }, "The system prompt of agent steps."),
		format.Key("instructions", format.OneOrMore(templateText()), func(p *parser) *[]*Template { return &p.defaults.Agent.Instructions }, "Files that are added to the system prompt, such as AGENTS.md."),
		format.Over("params", paramsTable(), func(p *parser) *Params { return &p.defaults.Agent.Params }, "Sampling parameters."),
		format.Over("stop", stopTable(), func(p *parser) *Stop { return &p.defaults.Agent.Stop }, "When an agent stops."),
		format.Over("truncate", truncateTable(), func(p *parser) *Truncate { return &p.defaults.Truncate }, "How long outputs of tools and commands may be."),
		format.Over("context", contextTable(), func(p *parser) *Context { return &p.defaults.Agent.Context }, "How conversations stay within their model's window."),
		format.Key("cache", cacheShape(), func(p *parser) *Cache { return &p.defaults.Agent.Cache }, "true: what models answer is kept, and given again to the same requests, once the step has succeeded. Default false."),
		format.Key("tools", format.ListOf("tools", toolEntry()), func(p *parser) *[]ToolEntry { return &p.defaults.Agent.Tools }, "What a step offers its model unless it says otherwise."),
		format.Over("retry", retryTable(), func(p *parser) *Retry { return &p.defaults.Retry }, "How often a failed step is tried again."),
		agentsField(),
		format.Key("steps", f.stepList(), func(p *parser) *[]*Step { return &p.workflow.Steps }, "What is done, from top to bottom.").Must(),
		format.Key("findings", anything(), func(p *parser) **Value { return &p.workflow.Findings }, "What the run has found in files: a list of objects with file, line and message, for SARIF, annotations and summaries."),
		format.Key("outputs", outputs(), func(p *parser) *[]Output { return &p.workflow.Outputs }, "What the run returns."),
	}
}

// inputs are JSON Schemas by name, each with a default.
func inputs() format.Shape[[]Input] {
	schema := format.Map("an input must be a map of JSON Schema keywords", "such as {type: string, default: x}")
	schema.Schema = format.Fixed(map[string]any{"$ref": format.Metaschema, "properties": map[string]any{"default": true}})
	return format.Each(format.EntriesOf("inputs", schema), func(r *format.Reader, e format.Named[*tree.Node]) Input {
		p := parserOf(r)
		p.checkName(e.Name, "an input")
		return p.readInput(e.Name, e.Value)
	})
}

// outputs are values by name.
func outputs() format.Shape[[]Output] {
	return format.Each(format.EntriesOf("outputs", anything()), func(r *format.Reader, e format.Named[*Value]) Output {
		parserOf(r).checkName(e.Name, "an output")
		return Output{Name: e.Name.Text, Value: e.Value}
	})
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
