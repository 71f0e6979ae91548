package workflows

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/known"
	"github.com/a-seed-11b9befa/flow/internal/tree"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
	"github.com/a-seed-11b9befa/flow/workflows/internal/expression"
)

// checkPermissions reports rules for tools that do not exist: a rule with a mistake in its
// name would protect nothing. It removes them, so that each is told of once. lent are the tools of
// used workflows that the rules hold for.
func (p *parser) checkPermissions(rules Permissions, lent []string) {
	if p.loader.opts.Tools == nil || len(rules) == 0 {
		return
	}
	names := merged(p.toolNames(), lent)
	for _, name := range slices.Sorted(maps.Keys(rules)) {
		if Covers(names, name) || len(rules[name]) == 0 {
			continue
		}
		n := rules[name][0].tool
		if strings.Contains(name, "*") && isToolName(strings.ReplaceAll(name, "*", "x")) {
			if !slices.ContainsFunc(names, func(tool string) bool { return mayMatch(name, tool) }) {
				p.Warnf(n, diagnostic.CodePermission, "a rule for %q, but there is no tool of such a name", name).Hint = tree.DidYouMean(name, names)
			}
			continue
		}
		d := p.Errorf(n, diagnostic.CodePermission, "a rule for %q, but there is no such tool", name)
		if d.Hint = toolHint(name, names); known.RuledBy(strings.ToLower(name)) == "write" {
			d.Hint = "whatever writes files is judged by the rules of \"write\""
		}
		delete(rules, name)
	}
}

// compilePatterns compiles the expressions in the patterns of rules. In their values a model has no
// say: it is what the rules hold.
func (p *parser) compilePatterns(s *expression.Scope) {
	for _, pattern := range p.patterns {
		p.compileTemplate(pattern, s)
		for _, e := range pattern.expressions() {
			from := ""
			if e.Compiled() {
				from = p.fromModel(e)
			}
			if from == "" {
				continue
			}
			d := p.ErrorWithin(e.Node, e.Offset, len(e.Source), diagnostic.CodePermission, "the pattern of a rule can't use %q, because a model may have chosen its value", from)
			if d.Hint = "a pattern can use env, run and the inputs of a run"; from == "inputs" {
				d.Hint = "this workflow is used by another: put the rule on the step that uses it, where the inputs are those of the run"
			}
		}
	}
}

// mayMatch reports whether a pattern may match a tool, or some tool of server_*. It errs on
// the side of yes.
func mayMatch(pattern, tool string) bool {
	before, rest, _ := strings.Cut(pattern, "*")
	if server, isServer := strings.CutSuffix(tool, "*"); isServer {
		return strings.HasPrefix(server, before) || strings.HasPrefix(before, server)
	}
	return strings.HasPrefix(tool, before) && (strings.Contains(rest, "*") || strings.HasSuffix(tool, rest))
}

// warnDenied warns of tools that steps list or call although their rules deny every call.
func (p *parser) warnDenied() {
	if p.badRules || p.loader.opts.Denied == nil { // rules that could not be read may be why
		return
	}
	for _, step := range Leaves(p.workflow.Steps) {
		switch {
		case step.Agent != nil:
			p.warnDeniedTools(step)
		case step.Call != nil && len(p.denied(step.Permissions, step.Call.Tool)) > 0:
			p.Warnf(step.node.Get("tool"), diagnostic.CodePermission, "the step calls the tool %q, but no rule allows it", step.Call.Tool).
				Hint = "allow the call, as in permissions: {" + exampleRule(step.Call.Tool) + "}"
		}
	}
}

// warnDeniedTools is warnDenied for the tools of an agent.
func (p *parser) warnDeniedTools(s *Step) {
	var listed []string
	for _, entry := range s.Agent.Tools {
		listed = append(listed, entry.Name)
	}
	sets := s.RuleSets()
	own := p.denied(sets[len(sets)-1], listed...)
	var agent []string
	if len(sets) > 1 {
		agent = p.denied(sets[0], listed...)
	}
	for _, entry := range s.Agent.Tools {
		hint := "allow calls of it, as in permissions: {" + exampleRule(entry.Name) + "}"
		switch isDenied := slices.Contains(own, entry.Name); {
		case !isDenied && !slices.Contains(agent, entry.Name):
			continue
		case !isDenied:
			hint = fmt.Sprintf("a step narrows the rules of its agent: allow it in those of the agent %q, too", s.Agent.Takes)
		}
		p.Warnf(entry.node, diagnostic.CodePermission, "the model is not offered the tool %q of the step, because no rule allows it", entry.Name).Hint = hint
	}
}

// denied returns the tools among the listed ones that are there, and of which every call is denied.
func (p *parser) denied(own Permissions, listed ...string) []string {
	there := slices.DeleteFunc(slices.Clone(listed), func(name string) bool {
		_, known := p.tool(name)
		return !known && !slices.Contains(p.workflow.ToolNames, name)
	})
	return p.loader.opts.Denied(p.workflow, own, there)
}

// exampleRule is a rule that allows some calls of a tool.
func exampleRule(tool string) string {
	tool = cmp.Or(known.RuledBy(tool), tool)
	switch tool {
	case "bash":
		return `bash: {"go test *": allow}`
	case "write":
		return `write: {"docs/**": allow}`
	case "webfetch":
		return `webfetch: {"domain:example.com": allow}`
	}
	return tool + ": allow"
}
