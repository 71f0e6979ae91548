package workflows

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/known"
	"github.com/a-seed-11b9befa/flow/internal/tree"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// maxToolDepth is how deep workflows may call each other as tools.
const maxToolDepth = 3

// workflows returns the steps that calls of the agent's tools run, in the file's order.
func (a *Agent) workflows() (all []*Step) {
	for _, entry := range a.Tools {
		if entry.Runs != nil {
			all = append(all, entry.Runs)
		}
	}
	return all
}

// checkWorkflowTool checks a tool that is a workflow, and its pinned arguments. Its name is at a node.
func (p *parser) checkWorkflowTool(entry ToolEntry, at *tree.Node) {
	p.checkToolName(at, entry.Name)
	if p.workflow.CustomTools[entry.Name] != nil || p.serverTool(entry.Name) {
		p.Errorf(at, diagnostic.CodeTool, "the file has another tool %q", entry.Name).Hint = "give the workflow another name here"
	}
	used := p.use(entry.uses)
	if used == nil {
		return
	}
	if strings.TrimSpace(used.Description) == "" {
		p.Errorf(entry.uses.Node, diagnostic.CodeUses, "%s has no \"description\", from which a model knows what the tool is for", entry.uses.Text).
			Hint = "it stands at the top of that file"
	}
	p.checkArguments(ToolInfo{Name: entry.Name, Parameters: used.Parameters()}, entry.With, entry.node.Get("with"))
}

// linkTools sets which workflows the calls of a step's tools run. It returns the tools of these.
func (p *parser) linkTools(s *Step) (lent []string) {
	agent := s.Agent
	agent.Tools = slices.Clone(agent.Tools) // other steps may have the same
	for i := range agent.Tools {
		entry := &agent.Tools[i]
		if entry.uses.Node == nil {
			continue
		}
		used := p.use(entry.uses)
		lent = merged(lent, used.lends())
		if used == nil {
			continue
		}
		chain := append([]string{used.Shown}, used.calls...)
		if len(chain) > maxToolDepth {
			p.Errorf(entry.uses.Node, diagnostic.CodeUses, "workflows call each other as tools more than %d deep: %s", maxToolDepth, strings.Join(append([]string{p.workflow.Shown}, chain...), " → ")).
				Hint = "a step with uses runs a workflow without a model that calls it"
			continue
		}
		p.callsDown(chain)
		entry.Runs = &Step{
			Name: entry.Name, Path: s.Path + "/" + entry.Name, Kind: KindUses, Pos: entry.Pos, Sum: sumOf(entry.node), As: "item", OfferedBy: s,
			Output: OutputSpec{Kind: OutputText},
			Use:    &Use{Workflow: used, Name: entry.uses.Text, Grant: entry.grant, Pos: entry.uses.Node.Position()},
		}
	}
	p.workflow.lent = merged(p.workflow.lent, lent)
	return lent
}

// callsDown notes a chain of workflows that call each other as tools, starting with one that a step calls.
func (p *parser) callsDown(chain []string) {
	if len(chain) > len(p.workflow.calls) {
		p.workflow.calls = chain
	}
}

// Parameters returns the inputs as the JSON Schema of an object, with their descriptions and defaults.
func (w *Workflow) Parameters() json.RawMessage {
	properties, required := map[string]any{}, []string{}
	for _, in := range w.Inputs {
		var schema any
		if err := json.Unmarshal(in.Schema, &schema); err != nil {
			schema = true
		}
		schema = within(schema, "#/properties/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(in.Name))
		keywords, isMap := schema.(map[string]any)
		if isMap && in.Description != "" {
			keywords["description"] = in.Description
		}
		if in.Required {
			required = append(required, in.Name)
		} else if isMap {
			keywords["default"] = in.Default
		}
		properties[in.Name] = schema
	}
	data, err := json.Marshal(map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false})
	if err != nil {
		panic(fmt.Sprintf("the inputs of %s: %v", w.File, err)) // they were read from JSON and YAML
	}
	return data
}

// within is a schema inside of another one, at a pointer: its references to itself lead there.
func within(schema any, pointer string) any {
	switch schema := schema.(type) {
	case []any:
		for i := range schema {
			schema[i] = within(schema[i], pointer)
		}
	case map[string]any:
		for key, value := range schema {
			text, isText := value.(string)
			switch {
			case key == "$ref" && isText && (text == "#" || strings.HasPrefix(text, "#/")):
				schema[key] = pointer + text[1:]
			case key != "enum" && key != "const" && key != "default" && key != "examples":
				schema[key] = within(value, pointer)
			}
		}
	}
	return schema
}

// MayWrite reports whether something in the workflow, or in one that it uses, may have an effect: it runs a
// command, or has a tool that does more than read.
func (w *Workflow) MayWrite() bool {
	return slices.ContainsFunc(w.Used(), func(used *Workflow) bool {
		return slices.ContainsFunc(Leaves(used.Steps), func(step *Step) bool {
			isCommand := func(c Check) bool { return c.Script != nil }
			return step.Command != nil || step.Agent != nil && slices.ContainsFunc(step.Agent.Checks, isCommand) ||
				slices.ContainsFunc(step.ToolNames(), used.toolMayWrite)
		})
	})
}

func (w *Workflow) toolMayWrite(name string) bool {
	if tool := w.CustomTools[name]; tool != nil {
		return !tool.Reads
	}
	rules := known.RuledBy(name)
	return rules != "read" && rules != "webfetch" && !slices.Contains(w.ToolNames, name)
}
