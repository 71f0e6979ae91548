package workflows

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/tree"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// step reads one step, starting from the file's defaults.
func (p *parser) step(n *tree.Node) (*Step, bool) {
	s := p.newStep(n)
	if !p.loader.format.step.Read(p.Reader, n, s) {
		return nil, false
	}
	if s.keep(kindIn(n)); s.Kind == "" {
		p.reportKindless(n)
		return s, true
	}
	s.Sum = stepSum(n)
	switch s.Kind {
	case KindPrompt:
		p.takeAgent(s)
		if s.Output.Kind == OutputSchema {
			p.warnAllOptional(n.Get("output"))
		}
	case KindAsk:
		p.completeQuestion(s)
	case KindUses:
		s.Use.Pos = n.Get("uses").Position()
	}
	s.Timeout = cmp.Or(s.Timeout, defaultTimeout(s.Kind))
	return s, true
}

// newStep is a step of any kind before its keys are read.
func (p *parser) newStep(n *tree.Node) *Step {
	s, agent := p.defaults, *p.defaults.Agent
	if name := n.Get("agent"); name != nil && name.Kind == tree.KindString && p.agents[name.Text] != nil {
		agent, s.Permissions = p.agents[name.Text].agent, p.agents[name.Text].Permissions
	}
	s.node, s.Pos = n, n.Position()
	s.Agent, s.Command, s.Call, s.Question = &agent, &Command{}, &Call{}, &Question{}
	s.Use, s.Group, s.End = &Use{}, &Group{MaxRounds: 10}, &End{}
	return &s
}

// keep sets the kind of a step, and drops what is of other kinds.
func (s *Step) keep(kind Kind) {
	all := *s
	s.Kind = kind
	s.Agent, s.Command, s.Call, s.Question, s.Use, s.Group, s.End = nil, nil, nil, nil, nil, nil, nil
	switch kind {
	case KindPrompt:
		s.Agent = all.Agent
	case KindRun:
		s.Command = all.Command
	case KindTool:
		s.Call = all.Call
	case KindAsk:
		s.Question = all.Question
	case KindUses:
		s.Use = all.Use
	case KindGroup:
		s.Group = all.Group
	case KindEnd:
		s.End = all.End
	}
}

// nameSteps sets the names and paths of steps, which lie under the path around them.
func nameSteps(steps []*Step, around string) {
	for i, s := range steps {
		s.Name = cmp.Or(s.ID, unnamedStep(i))
		s.Path = around + s.Name
		if s.Group != nil {
			nameSteps(s.Group.Steps, s.Path+"/")
		}
	}
}

// unnamedStep names a step without an id by its index in its list.
func unnamedStep(index int) string { return "step-" + strconv.Itoa(index+1) }

// defaultTimeout bounds steps that could otherwise run for ever. Used workflows and
// groups are bounded by their own steps; a person may take their time.
func defaultTimeout(kind Kind) time.Duration {
	switch kind {
	case KindPrompt:
		return 20 * time.Minute
	case KindRun, KindTool:
		return 10 * time.Minute
	}
	return 0
}

// reportKindless reports a step that does nothing, unless a mistake in one of its keys may
// be the reason.
func (p *parser) reportKindless(n *tree.Node) {
	if slices.ContainsFunc(n.Entries, func(e tree.Entry) bool { return p.ReportedAt(e.Key) }) {
		return
	}
	p.Errorf(n, diagnostic.CodeKey, "the step does nothing").Hint = "it needs one of " + tree.Quoted(kindKeys())
}
