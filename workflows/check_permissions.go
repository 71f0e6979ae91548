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

// warnDenied warns of tools that a step lists although its rules deny every call.
func (p *parser) warnDenied(s *Step) {
	if p.badRules {
		return // that may be why
	}
	for _, entry := range s.Agent.Tools {
		if _, known := p.tool(entry.Name); entry.uses.Node == nil && !known || p.serverTool(entry.Name) {
			continue
		}
		sets := s.RuleSets()
		agent := ""
		if len(sets) > 1 {
			agent = p.denied(entry.Name, sets[0])
		}
		if own := p.denied(entry.Name, sets[len(sets)-1]); own != "" || agent != "" {
			wrong := p.Warnf(entry.node, diagnostic.CodePermission, "the model is not offered the tool %q of the step, because %s", entry.Name, cmp.Or(own, agent))
			if wrong.Hint = "allow calls of it, as in permissions: {" + exampleRule(entry.Name) + "}"; own == "" {
				wrong.Hint = fmt.Sprintf("a step narrows the rules of its agent: allow it in those of the agent %q, too", s.Agent.Takes)
			}
		}
	}
}

// warnDeniedCall is warnDenied for a step that calls a tool.
func (p *parser) warnDeniedCall(s *Step) {
	call := s.Call
	if _, known := p.tool(call.Tool); p.badRules || !known || p.serverTool(call.Tool) || p.workflow.CustomTools[call.Tool] != nil {
		return
	}
	if why := p.denied(call.Tool, s.Permissions); why != "" {
		p.Warnf(s.node.Get("tool"), diagnostic.CodePermission, "the step calls the tool %q, but %s", call.Tool, why).
			Hint = "allow the call, as in permissions: {" + exampleRule(call.Tool) + "}"
	}
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

// denied returns why every call of a tool is denied; "" when some may be allowed. The
// rules of the file and the step's own are one set, in which the step's catch-all
// replaces the file's.
func (p *parser) denied(called string, own Permissions) string {
	tool := cmp.Or(known.RuledBy(called), called)
	var rules []Rule
	fallback := ""
	for _, set := range []Permissions{p.workflow.Permissions, own} {
		if name := called; name != tool && set[name] != nil {
			return "" // a rule for a tool that is judged by another's, which is reported
		}
		for name, list := range set {
			if !Covers([]string{name}, tool) {
				continue
			}
			for _, r := range list {
				if r.Pattern == "*" || r.Pattern == "**" {
					fallback = r.Decision
				} else {
					rules = append(rules, r)
				}
			}
		}
	}
	lets := func(r Rule) bool { return r.Decision != "deny" }
	switch {
	case fallback == "allow" || fallback == "ask" || slices.ContainsFunc(rules, lets):
		return ""
	case fallback == "deny":
		return "its rules deny every call"
	case tool == "read" || p.workflow.isOwnTool(tool) && len(rules) == 0:
		return ""
	case len(rules) > 0:
		return "its rules allow nothing"
	}
	return "no rule allows it"
}
