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
	if s.Kind = kindIn(d.node); s.Kind == "" {
		p.reportKindless(d)
		return s
	}
	s.Sum = stepSum(d.node)
	s.Env = p.fillVariables(d.env)
	if s.Output.Kind == "" {
		s.Output.Kind = OutputText
	}
	p.setKind(d)
	if s.Timeout == 0 {
		s.Timeout = defaultTimeout(s.Kind)
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

// reportKindless reports a step that does nothing, unless a mistake in one of its keys may
// be the reason.
func (p *parser) reportKindless(d *stepDraft) {
	if slices.ContainsFunc(d.node.Entries, func(e tree.Entry) bool { return p.ReportedAt(e.Key) }) {
		return
	}
	p.Errorf(d.node, diagnostic.CodeKey, "the step does nothing").Hint = "it needs one of " + tree.Quoted(kindKeys())
}

// loadPrompt reads the prompt from its file, in which its mistakes are reported.
func (p *parser) loadPrompt(d *stepDraft) {
	if d.promptFile.Node == nil {
		return
	}
	if d.agent.Prompt != nil {
		p.Errorf(d.present["prompt_file"].Key, diagnostic.CodeKey, `"prompt_file" contradicts "prompt"`)
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
