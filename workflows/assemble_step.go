package workflows

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/tree"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// assemble makes a step of its draft, and reports keys that do not go with its kind.
// index is that in its list, group the path of the group around it.
func (p *parser) assemble(d *stepDraft, index int, group string) *Step {
	s := d.step
	s.ID, s.Name = d.id.Text, d.id.Text
	if s.Name == "" {
		s.Name = unnamedStep(index)
	}
	s.Path = s.Name
	if group != "" {
		s.Path = group + "/" + s.Name
	}
	kind, ok := p.kind(d)
	if !ok {
		return s
	}
	s.Kind, s.Sum = kind, stepSum(d.node)
	p.checkKeys(d)
	s.Env = p.fillVariables(d.env)
	if s.Output.Kind == "" {
		s.Output.Kind = OutputText
	}
	p.setKind(d)
	if s.Timeout == 0 {
		s.Timeout = defaultTimeout(kind)
	}
	return s
}

// unnamedStep names a step without an id by its index in its list.
func unnamedStep(index int) string { return "step-" + strconv.Itoa(index+1) }

// setKind sets the one field of the step that is for its kind.
func (p *parser) setKind(d *stepDraft) {
	s := d.step
	switch s.Kind {
	case KindPrompt:
		p.mergeAgent(d)
		s.Agent = &d.agent
		p.loadPrompt(d)
		if s.Output.Kind == OutputSchema {
			p.warnAllOptional(d.present["output"].Value)
		}
	case KindRun:
		s.Command = &Command{Script: d.run, Held: d.held, Limits: d.agent.Truncate}
	case KindTool:
		s.Call = &Call{Tool: offeredName(d.tool.Text), With: d.with, Permissions: d.agent.Permissions, Limits: d.agent.Truncate}
	case KindAsk:
		s.Question = p.makeQuestion(d)
	case KindUses:
		s.Use = &Use{Name: d.uses.Text, With: d.with, Permissions: d.agent.Permissions, Grant: d.grant}
		if d.uses.Node != nil {
			s.Use.Pos = d.uses.Node.Position()
		}
	case KindEnd:
		s.End = &End{Fails: d.end == "failed", Message: d.message}
	case KindGroup:
		s.Group = &d.group
		for _, output := range d.outputs {
			s.Group.Outputs = append(s.Group.Outputs, Output{Name: output.Name.Text, Value: output.Value})
		}
		for i, child := range d.children {
			s.Group.Steps = append(s.Group.Steps, p.assemble(child, i, s.Path))
		}
	}
}

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

// kind returns the kind of the step by the first of its keys that names one, and reports
// the others.
func (p *parser) kind(d *stepDraft) (Kind, bool) {
	var found []tree.Entry
	for _, name := range kindKeys() {
		if e, there := d.present[name]; there {
			found = append(found, e)
		}
	}
	slices.SortStableFunc(found, func(a, b tree.Entry) int { return a.Key.Line - b.Key.Line })
	if len(found) == 0 {
		p.reportKindless(d)
		return "", false
	}
	for _, e := range found[1:] {
		if p.ReportedAt(e.Key) {
			continue
		}
		p.Errorf(e.Key, diagnostic.CodeKey, "a step is of one kind: it has %q already, so it can't have %q", found[0].Key.Text, e.Key.Text).Hint = "another step is another item of the list"
	}
	return kindOf(found[0].Key.Text), true
}

// reportKindless reports a step that does nothing, unless a mistake in one of its keys may
// be the reason.
func (p *parser) reportKindless(d *stepDraft) {
	if slices.ContainsFunc(d.node.Entries, func(e tree.Entry) bool { return p.ReportedAt(e.Key) }) {
		return
	}
	p.Errorf(d.node, diagnostic.CodeKey, "the step does nothing").Hint = "it needs one of " + tree.Quoted(kindKeys())
}

// checkKeys reports keys that steps of this kind can't have.
func (p *parser) checkKeys(d *stepDraft) {
	for i := range p.format.step.Fields {
		f := &p.format.step.Fields[i]
		e, there := d.present[f.Key]
		if !there || p.ReportedAt(e.Key) || f.Kinds == nil || slices.Contains(f.Kinds, d.step.Kind) || slices.Contains(kindKeys(), f.Key) {
			continue
		}
		p.Found = slices.DeleteFunc(p.Found, func(d *diagnostic.Diagnostic) bool { return holds(e.Value, d.Position()) })
		kinds := make([]string, len(f.Kinds))
		for i, kind := range f.Kinds {
			kinds[i] = string(kind)
		}
		p.Errorf(e.Key, diagnostic.CodeKey, "%q does not go with %q", f.Key, d.step.Kind).Hint = "steps with " + tree.Quoted(kinds) + " have it"
	}
}

// loadPrompt reads the prompt from its file, in which its mistakes are reported.
func (p *parser) loadPrompt(d *stepDraft) {
	if d.promptFile.Node == nil || d.agent.Prompt != nil {
		return
	}
	text, ok := p.loader.readAside(p, d.promptFile, diagnostic.CodeFile)
	if !ok {
		return
	}
	n := tree.ReadText(p.loader.nameOf(p.path(d.promptFile.Text)), text, p.Report)
	if n == nil {
		return
	}
	if strings.TrimSpace(n.Text) == "" {
		p.Errorf(d.promptFile.Node, diagnostic.CodeFile, "the file %s is empty", d.promptFile.Text)
	}
	d.agent.Prompt = p.template(n)
}
