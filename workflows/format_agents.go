package workflows

import (
	"maps"
	"slices"

	"github.com/a-seed-11b9befa/flow/internal/format"
	"github.com/a-seed-11b9befa/flow/internal/tree"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
	"github.com/a-seed-11b9befa/flow/workflows/internal/expression"
)

// agentTable is one entry of "agents". A key in it overrides the file's, and a step's
// overrides both.
func agentTable() *format.Object[AgentRules] {
	return &format.Object[AgentRules]{
		Name: "agent", What: "an agent", Doc: "Settings that a step takes with agent: name.",
		Fields: []format.Field[AgentRules]{
			format.Key("model", modelShape(), func(a *AgentRules) **Value { return &a.agent.Model }, "provider/model, a short name, or a list of them."),
			format.Key("system", templateText(), func(a *AgentRules) **Template { return &a.agent.System }, "The system prompt."),
			format.Over("params", paramsTable(), func(a *AgentRules) *Params { return &a.agent.Params }, "Sampling parameters."),
			format.Key("tools", format.ListOf("tools", toolEntry()), func(a *AgentRules) *[]ToolEntry { return &a.agent.Tools }, "What the model is offered."),
			permissionsField(func(a *AgentRules) *Permissions { return &a.Permissions }, func(a *AgentRules) *[]Example { return &a.Examples }, "Rules for the calls. Those of a step narrow them."),
			format.Over("stop", stopTable(), func(a *AgentRules) *Stop { return &a.agent.Stop }, "When the agent stops."),
		},
	}
}

// agentsField reads the agents before the steps, which take them.
func agentsField() format.Field[parser] {
	start := func(r *format.Reader, _ *tree.Node) AgentRules { return AgentRules{agent: *parserOf(r).defaults.Agent} }
	shape := namedMap("agents", agentTable().Shape(start), func(a *AgentRules, name *tree.Node) { a.Name = name.Text })
	return format.Key("agents", shape, func(p *parser) *map[string]*AgentRules { return &p.agents }, "Settings by name, which steps take with agent: name.")
}

// namedMap is a map of values that know their names.
func namedMap[V any](what string, s format.Shape[V], name func(v *V, key *tree.Node)) format.Shape[map[string]*V] {
	return format.Mapped(format.EntriesOf(what, s), func(list []format.Named[V]) map[string]*V {
		all := make(map[string]*V, len(list))
		for _, e := range list {
			name(&e.Value, e.Name)
			all[e.Name.Text] = &e.Value
		}
		return all
	})
}

// takeAgent combines the rules of a step with those of the agent that it takes.
func (p *parser) takeAgent(s *Step) {
	a := s.Agent
	name := s.node.Get("agent")
	if name == nil || p.ReportedAt(name) {
		return
	}
	from := p.agents[a.Takes]
	if given := p.root.Get("agents"); from == nil && given != nil && (given.Kind != tree.KindMap || given.Get(a.Takes) != nil) {
		return // it could not be read, which has been reported
	}
	if from == nil {
		p.Errorf(name, diagnostic.CodeReference, "there is no agent %q", a.Takes).Hint = tree.DidYouMean(a.Takes, slices.Sorted(maps.Keys(p.agents)))
		return
	}
	if s.node.Get("permissions") == nil {
		return
	}
	own := s.Permissions
	a.Bounds, s.Permissions = from.Permissions, Permissions{}
	maps.Copy(s.Permissions, a.Bounds)
	maps.Copy(s.Permissions, own)
}

// checkAgents checks the entries of "agents". Any step may take one, so its expressions
// see no steps and no element.
func (p *parser) checkAgents(base *expression.Scope) {
	for _, name := range slices.Sorted(maps.Keys(p.agents)) {
		a := p.agents[name]
		p.checkName(p.keyIn("agents", name), "an agent")
		p.checkSettings(p.root.Get("agents").Get(name), &a.agent, base, offersOf(a.agent.Tools))
		p.checkPermissions(a.Permissions, nil)
		p.workflow.Agents = append(p.workflow.Agents, *a)
	}
}
