package workflows

import (
	"maps"
	"slices"

	"github.com/a-seed-11b9befa/flow/internal/nearest"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
	"github.com/a-seed-11b9befa/flow/workflows/internal/expression"
	"github.com/a-seed-11b9befa/flow/workflows/internal/tree"
)

// An agentDraft is what stands under a name in "agents": settings that steps take.
type agentDraft struct {
	name     *tree.Node
	agent    Agent // with the file's defaults
	examples []Example
	taken    bool
}

// agentTable is what steps can take from one place. Each key goes before that of the
// file, and that of the step before it.
func (f *format) agentTable() object[agentDraft] {
	foreign := map[string]string{
		"instructions": `"system", or a key of the whole file`, "name": "the key that the agent stands under",
		"system_prompt": `"system"`, "allowed_tools": `"tools"`, "role": `"system"`, "goal": `"system"`, "backstory": `"system"`,
	}
	return object[agentDraft]{
		name: "agent", what: "an agent", doc: "Settings that a step takes with agent: name.", foreign: foreign,
		fields: []field[agentDraft]{
			key("model", modelShape(), func(d *agentDraft) **Value { return &d.agent.Model }, "provider/model, a short name, or a list of them."),
			key("system", templateText(), func(d *agentDraft) **Template { return &d.agent.System }, "The system prompt."),
			over("params", &f.params, func(d *agentDraft) *Params { return &d.agent.Params }, "Sampling parameters."),
			key("tools", listOf("tools", f.toolEntry()), func(d *agentDraft) *[]ToolEntry { return &d.agent.Tools }, "What the model is offered."),
			permissionsField(func(d *agentDraft) *Permissions { return &d.agent.Permissions }, func(d *agentDraft) *[]Example { return &d.examples }, "Rules for the calls. Those of a step narrow them."),
			over("stop", &f.stop, func(d *agentDraft) *Stop { return &d.agent.Stop }, "When the agent stops."),
		},
	}
}

// agentsField reads the agents with the file's defaults.
func (f *format) agentsField() field[fileDraft] {
	shape := entriesOf("agents", f.agent.shape(func(p *parser, _ *tree.Node) agentDraft { return agentDraft{agent: p.defaultAgent()} }))
	return field[fileDraft]{
		key: "agents", doc: "Settings by name, which steps take with agent: name.", schema: shape.schema,
		read: func(p *parser, n *tree.Node, d *fileDraft) {
			p.defaults = d.defaults
			list, _ := shape.read(p, n)
			p.agents = make(map[string]*agentDraft, len(list))
			for _, e := range list {
				e.value.name = e.name
				p.agents[e.name.Text] = &e.value
				if !isStepID(e.name.Text) {
					p.Errorf(e.name, diagnostic.CodeValue, "%q is no name for an agent", e.name.Text).Hint = idHint(e.name.Text)
				}
			}
		},
	}
}

// defaultAgent is an agent of which only the file's defaults are known.
func (p *parser) defaultAgent() Agent {
	return Agent{
		System: p.defaults.system, Instructions: p.defaults.instructions, Model: p.defaults.model,
		Params: p.defaults.params, Tools: p.defaults.tools, Stop: p.defaults.stop, Context: p.defaults.context, Cache: p.defaults.cache, MaxFixes: 3,
	}
}

// startOfAgent is an agent before the keys of its step are read.
func (p *parser) startOfAgent(step *tree.Node) Agent {
	if name := step.Get("agent"); name != nil && name.Kind == tree.KindString && p.agents[name.Text] != nil {
		return p.agents[name.Text].agent
	}
	return p.defaultAgent()
}

// takeAgent puts the rules of a step that takes an agent beside those of that.
func (p *parser) takeAgent(d *stepDraft) {
	if d.takes.node == nil {
		return
	}
	from := p.agents[d.takes.text]
	if given := p.root.Get("agents"); from == nil && given != nil && (given.Kind != tree.KindMap || given.Get(d.takes.text) != nil) {
		return // it could not be read, which has been reported
	}
	if from == nil {
		if meant := p.agents[nearest.Of(d.takes.text, slices.Sorted(maps.Keys(p.agents)))]; meant != nil {
			meant.taken = true
		}
		wrong := p.Errorf(d.takes.node, diagnostic.CodeReference, "there is no agent %q", d.takes.text)
		if wrong.Hint = tree.DidYouMean(d.takes.text, slices.Sorted(maps.Keys(p.agents))); len(p.agents) == 0 {
			wrong.Hint = `agents stand under "agents" at the top of the file: {` + tree.Clip(d.takes.text, 40) + ": {system: …}}"
		}
		return
	}
	from.taken = true
	a := &d.agent
	a.Takes = d.takes.text
	if _, own := d.present["permissions"]; !own {
		return
	}
	d.ownRules, a.Bounds = a.Permissions, from.agent.Permissions
	all := maps.Clone(a.Bounds)
	if all == nil {
		all = Permissions{}
	}
	maps.Copy(all, d.ownRules)
	a.Permissions = all
}

// checkAgents compiles what the agents say. It has to make sense in every step, so it
// sees no steps and no element.
func (p *parser) checkAgents(base *expression.Scope) {
	for _, name := range slices.Sorted(maps.Keys(p.agents)) {
		from := p.agents[name]
		a := &from.agent
		node := p.root.Get("agents").Get(name)
		if node.Get("model") != nil {
			p.compileValue(a.Model, base)
		}
		if node.Get("system") != nil {
			p.warnOfFile(node.Get("system"), systemFile)
			p.compileTemplate(a.System, base)
		}
		if node.Get("tools") != nil {
			p.checkEntries(a.Tools, base)
		}
		if stop := node.Get("stop"); stop != nil && stop.Get("when") != nil && a.Stop.When != nil {
			p.compileCondition(a.Stop.When, base.With(whenNames()))
			p.checkCalls(a.Stop.When, offersOf(a.Tools))
		}
		p.checkPermissions(a.Permissions, nil)
		p.workflow.Agents = append(p.workflow.Agents, AgentRules{Name: name, Permissions: a.Permissions, Examples: from.examples})
		if !from.taken && isStepID(name) {
			p.Warnf(from.name, diagnostic.CodeReference, "no step takes the agent %q", name).Hint = "a step takes it with agent: " + name
		}
	}
}
