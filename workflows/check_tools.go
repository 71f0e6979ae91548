package workflows

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/format"
	"github.com/a-seed-11b9befa/flow/internal/known"
	"github.com/a-seed-11b9befa/flow/internal/nearest"
	"github.com/a-seed-11b9befa/flow/internal/tree"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
	"github.com/a-seed-11b9befa/flow/workflows/internal/expression"
)

// tool returns what is known of a tool, and whether it may exist: built in, one of the
// file's own, or of an MCP server, whose tools are not known here.
func (p *parser) tool(name string) (ToolInfo, bool) {
	for _, t := range p.loader.opts.Tools {
		if t.Name == name {
			return t, true
		}
	}
	if t := p.workflow.CustomTools[name]; t != nil {
		return ToolInfo{Name: name, Parameters: t.Parameters}, true
	}
	return ToolInfo{}, p.serverTool(name)
}

// serverTool reports whether a name may be that of a tool of one of the file's MCP servers.
func (p *parser) serverTool(name string) bool {
	for server := range p.workflow.MCP {
		if strings.HasPrefix(name, server+"_") {
			return true
		}
	}
	return false
}

// toolNames lists the tools that steps may call: built-in ones and the file's own.
func (p *parser) toolNames() []string { return p.workflow.toolNames(p.loader.opts.Tools) }

func (w *Workflow) toolNames(builtIn []ToolInfo) []string {
	names := w.ownTools()
	for _, t := range builtIn {
		names = append(names, t.Name)
	}
	return names
}

// HasTool reports whether the workflow, or one that it uses, has a tool, its own or a built-in one. If not, it
// suggests another.
func (w *Workflow) HasTool(name string, builtIn []ToolInfo) (has bool, hint string) {
	names := w.toolNames(builtIn)
	for _, used := range w.Used()[1:] {
		names = append(names, used.ownTools()...)
	}
	if Covers(names, name) {
		return true, ""
	}
	return false, toolHint(name, merged(names))
}

// ownTools lists the tools that the file defines, sorted; server_* for those of an MCP server.
func (w *Workflow) ownTools() []string {
	names := slices.Concat(slices.Collect(maps.Keys(w.CustomTools)), w.ToolNames)
	for server := range w.MCP {
		names = append(names, server+"_*")
	}
	slices.Sort(names)
	return names
}

// unknownTool reports a tool that does not exist. Without a list of built-in tools any
// may exist.
func (p *parser) unknownTool(name string, n *tree.Node) bool {
	if p.loader.opts.Tools == nil {
		return false
	}
	if _, known := p.tool(name); known {
		return false
	}
	p.Errorf(n, diagnostic.CodeTool, "there is no tool %q", name).Hint = toolHint(name, slices.DeleteFunc(p.toolNames(), func(other string) bool { return other == name }))
	return true
}

// toolHint suggests a tool for a name that none has.
func toolHint(name string, names []string) string {
	if tool, pattern, isRule := otherRule(name); isRule && slices.Contains(names, tool) {
		return fmt.Sprintf("a rule stands under its tool, as in permissions: {%s: {%q: allow}}", tool, pattern)
	}
	lower := strings.ToLower(name)
	if meant := format.Foreign("tools")[lower]; slices.Contains(names, meant) {
		return fmt.Sprintf("did you mean %q?", meant)
	}
	if all := lower + "_*"; slices.Contains(names, all) {
		return fmt.Sprintf("did you mean %q?", all)
	}
	server, tool, _ := strings.Cut(lower, "_")
	for _, pattern := range names {
		if own, isServer := strings.CutSuffix(pattern, "_*"); isServer && tool != "" && nearest.Of(server, []string{own}) != "" {
			return fmt.Sprintf("did you mean %q?", own+"_"+tool)
		}
	}
	return tree.DidYouMean(lower, names)
}

// otherRule reads a rule as other tools write it: Bash(git log:*).
func otherRule(text string) (tool, pattern string, is bool) {
	tool, pattern, is = strings.Cut(strings.TrimSuffix(text, ")"), "(")
	return strings.ToLower(tool), strings.ReplaceAll(pattern, ":*", " *"), is && strings.HasSuffix(text, ")") && isToolName(tool)
}

func (p *parser) isBuiltIn(tool string) bool {
	return slices.ContainsFunc(p.loader.opts.Tools, func(t ToolInfo) bool { return t.Name == tool })
}

// checkToolNames checks the names of the file's own tools and servers.
func (p *parser) checkToolNames() {
	for name := range p.workflow.CustomTools {
		p.checkToolName(p.keyIn("custom_tools", name), name)
	}
	for name, server := range p.workflow.MCP {
		key := p.keyIn("mcp", name)
		if !isToolName(name) {
			p.Errorf(key, diagnostic.CodeTool, "%q is no name for a server", name).Hint = toolNameSyntax
		}
		if p.isBuiltIn(name) || known.RuledBy(name) != "" {
			p.Errorf(key, diagnostic.CodeTool, "a server can't have the name of a built-in tool: %q", name)
		}
		local, remote := len(server.Command) > 0, server.URL != nil
		command, url := p.root.Get("mcp").Get(name).Get("command"), p.root.Get("mcp").Get(name).Get("url")
		unread := command == nil && url != nil || url == nil && command != nil && command.Kind != tree.KindList // which has been reported
		if local == remote && !unread {
			p.Errorf(key, diagnostic.CodeKey, `an MCP server has "command" or "url", and only one of them`)
		}
		if remote && server.Held {
			p.Errorf(p.root.Get("mcp").Get(name).Get("held"), diagnostic.CodeKey, `"held" goes with "command"`)
		}
	}
}

// checkToolName checks the name of one of the file's own tools.
func (p *parser) checkToolName(at *tree.Node, name string) {
	if !isToolName(name) {
		p.Errorf(at, diagnostic.CodeTool, "%q is no name for a tool", name).Hint = toolNameSyntax
	}
	if p.isBuiltIn(name) {
		p.Errorf(at, diagnostic.CodeTool, "the tool %q is built in already", name)
	} else if judge := known.RuledBy(name); judge != "" {
		p.Errorf(at, diagnostic.CodeTool, "the name %q is kept for a tool that the rules of %q judge", name, judge).Hint = "such as my_" + name
	}
}

// checkEntries checks the tools that a model is offered, and their pinned arguments.
func (p *parser) checkEntries(entries []ToolEntry, s *expression.Scope) {
	for i, entry := range entries {
		for _, v := range entry.With {
			p.compileValue(v, s)
		}
		if slices.ContainsFunc(entries[:i], func(e ToolEntry) bool { return e.Name == entry.Name }) {
			p.Errorf(entry.node, diagnostic.CodeTool, "the tool %q is listed twice", entry.Name)
		}
		at := entry.node
		if name := at.Get("name"); name != nil {
			at = name
		}
		if entry.uses.Node != nil {
			p.checkWorkflowTool(entry, at)
			continue
		}
		if p.unknownTool(entry.Name, at) {
			continue
		}
		info, _ := p.tool(entry.Name)
		p.checkArguments(info, entry.With, entry.node.Get("with"))
	}
}

// checkArguments reports arguments that a tool does not have, or of the wrong type. It
// returns the schema of the arguments; nil where it is not known.
func (p *parser) checkArguments(tool ToolInfo, with map[string]*Value, at *tree.Node) map[string]any {
	if tool.Parameters == nil {
		return nil
	}
	data, err := tree.ParseJSON(string(tool.Parameters))
	schema, _ := data.(map[string]any)
	if err != nil || schema == nil {
		return nil
	}
	properties, _ := schema["properties"].(map[string]any)
	open := schema["additionalProperties"] != nil && schema["additionalProperties"] != false
	for _, name := range slices.Sorted(maps.Keys(with)) {
		keywords, known := properties[name]
		if !known {
			if !open {
				p.Errorf(at.Key(name), diagnostic.CodeTool, "the tool %q has no argument %q", tool.Name, name).Hint = tree.DidYouMean(name, slices.Sorted(maps.Keys(properties)))
			}
			continue
		}
		if text, err := tree.CompactJSON(keywords); err == nil {
			if compiled, err := p.loader.schemas.compile(text, keywords); err == nil {
				p.checkFit(with[name], keywords, compiled, fmt.Sprintf("the argument %q of %q", name, tool.Name))
			}
		}
	}
	return schema
}

func requiredArguments(schema map[string]any) []string {
	list, _ := schema["required"].([]any)
	var names []string
	for _, r := range list {
		if name, isText := r.(string); isText {
			names = append(names, name)
		}
	}
	return names
}

func (p *parser) checkCall(s *Step) {
	tool := s.node.Get("tool")
	if strings.Contains(tool.Text, "*") {
		p.Errorf(tool, diagnostic.CodeTool, "a step calls one tool, not a pattern of them")
		return
	}
	if p.unknownTool(tool.Text, tool) {
		return
	}
	info, _ := p.tool(tool.Text)
	at := cmp.Or(s.node.Get("with"), tool)
	before := len(p.Found)
	schema := p.checkArguments(info, s.With, at)
	for _, name := range requiredArguments(schema) {
		if _, given := s.With[name]; !given && len(p.Found) == before { // one that is not known may be meant
			p.Errorf(tool, diagnostic.CodeTool, "the tool %q needs the argument %q", info.Name, name).Hint = "give it under with"
		}
	}
}

// checkOffers reports tools under stop.on_tool that an agent step does not offer.
func (p *parser) checkOffers(s *Step) {
	offers := offersOf(s.Agent.Tools)
	if list := s.node.Get("stop").Get("on_tool"); list != nil {
		for _, item := range list.Items {
			if item.Kind == tree.KindString && !Covers(offers, offeredName(item.Text)) {
				p.Errorf(item, diagnostic.CodeTool, "the step does not offer its model the tool %q", item.Text).Hint = tree.DidYouMean(item.Text, offers)
			}
		}
	}
}

// checkCalls reports calls("name") of a tool that is not offered: it is always empty.
func (p *parser) checkCalls(c *Condition, offers []string) {
	if c == nil {
		return
	}
	for _, a := range c.expr.ArgumentsOf("calls") {
		if a.Index > 0 {
			p.ErrorWithin(c.expr.Node, a.Offset, 1, diagnostic.CodeExpression, "calls takes one name")
		} else if a.IsText && !Covers(offers, offeredName(a.Name)) {
			p.ErrorWithin(c.expr.Node, a.Offset, len(a.Name)+2, diagnostic.CodeTool, "the step does not offer its model the tool %q", a.Name).Hint = tree.DidYouMean(a.Name, offers)
		}
	}
}

// offersOf lists the tools of the entries: names and patterns.
func offersOf(entries []ToolEntry) []string {
	offers := make([]string, len(entries))
	for i, t := range entries {
		offers[i] = t.Name
	}
	return offers
}
