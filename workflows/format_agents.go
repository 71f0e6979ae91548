package workflows

import (
	"maps"
	"slices"

	"github.com/a-seed-11b9befa/flow/internal/format"
	"github.com/a-seed-11b9befa/flow/internal/tree"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
	"github.com/a-seed-11b9befa/flow/workflows/internal/expression"
)

// An agentDraft is an entry of "agents": settings that steps take by name.
type agentDraft struct {
	agent    Agent // with the file's defaults
	examples []Example
}

// agentTable is one entry of "agents". A key in it overrides the file's, and a step's
// overrides both.
func agentTable() *format.Object[agentDraft] {
	return &format.Object[agentDraft]{
		Name: "agent", What: "an agent", Doc: "Settings that a step takes with agent: name.",
		Fields: []format.Field[agentDraft]{
			format.Key("model", modelShape(), func(d *agentDraft) **Value { return &d.agent.Model }, "provider/model, a short name, or a list of them."),
			format.Key("system", templateText(), func(d *agentDraft) **Template { return &d.agent.System }, "The system prompt."),
			format.Over("params", paramsTable(), func(d *agentDraft) *Params { return &d.agent.Params }, "Sampling parameters."),
			format.Key("tools", format.ListOf("tools", toolEntry()), func(d *agentDraft) *[]ToolEntry { return &d.agent.Tools }, "What the model is offered."),
			permissionsField(func(d *agentDraft) *Permissions { return &d.agent.Permissions }, func(d *agentDraft) *[]Example { return &d.examples }, "Rules for the calls. Those of a step narrow them."),
			format.Over("stop", stopTable(), func(d *agentDraft) *Stop { return &d.agent.Stop }, "When the agent stops."),
		},
	}
}

func agentsField() format.Field[fileDraft] {
	shape := format.EntriesOf("agents", agentTable().Shape(func(r *format.Reader, _ *tree.Node) agentDraft { return agentDraft{agent: parserOf(r).defaults.agent} }))
	return format.Field[fileDraft]{
		Key: "agents", Doc: "Settings by name, which steps take with agent: name.", Schema: shape.Schema,
		Read: func(r *format.Reader, n *tree.Node, _ *fileDraft) {
			p := parserOf(r)
			list, _ := shape.Read(p.Reader, n)
			p.agents = make(map[string]*agentDraft, len(list))
			for _, e := range list {
				p.agents[e.Name.Text] = &e.Value
				p.checkName(e.Name, "an agent")
			}
		},
	}
}

// startOfAgent returns the settings that the keys of a step override.
func (p *parser) startOfAgent(step *tree.Node) Agent {
	if name := step.Get("agent"); name != nil && name.Kind == tree.KindString && p.agents[name.Text] != nil {
		return p.agents[name.Text].agent
	}
	return p.defaults.agent
}

// mergeAgent combines the rules of a step with those of the agent that it takes.
func (p *parser) mergeAgent(d *stepDraft) {
	if d.takes.Node == nil {
		return
	}
	from := p.agents[d.takes.Text]
	if given := p.root.Get("agents"); from == nil && given != nil && (given.Kind != tree.KindMap || given.Get(d.takes.Text) != nil) {
		return // it could not be read, which has been reported
	}
	if from == nil {
		p.Errorf(d.takes.Node, diagnostic.CodeReference, "there is no agent %q", d.takes.Text).Hint = tree.DidYouMean(d.takes.Text, slices.Sorted(maps.Keys(p.agents)))
		return
	}
	a := &d.agent
	a.Takes = d.takes.Text
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

// checkAgents checks the entries of "agents". Any step may take one, so its expressions
// see no steps and no element.
func (p *parser) checkAgents(base *expression.Scope) {
	for _, name := range slices.Sorted(maps.Keys(p.agents)) {
		from := p.agents[name]
		a := &from.agent
		p.checkSettings(p.root.Get("agents").Get(name), a, base, offersOf(a.Tools))
		p.checkPermissions(a.Permissions, nil)
		p.workflow.Agents = append(p.workflow.Agents, AgentRules{Name: name, Permissions: a.Permissions, Examples: from.examples})
	}
}
