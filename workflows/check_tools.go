package workflows

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/nearest"
	"github.com/a-seed-11b9befa/flow/internal/toolname"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
	"github.com/a-seed-11b9befa/flow/workflows/internal/expression"
	"github.com/a-seed-11b9befa/flow/workflows/internal/tree"
)

// tool gives what is known of a tool, and whether there may be such a tool: one
// that is built in, one of the file's own, or one of an MCP server.
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

// serverTool reports whether a name may be that of an MCP server's tool.
func (p *parser) serverTool(name string) bool {
	for server := range p.workflow.MCP {
		if strings.HasPrefix(name, server+"_") {
			return true
		}
	}
	return false
}

// toolNames lists the tools that are known, for suggestions.
func (p *parser) toolNames() []string {
	names := p.ownTools()
	for _, t := range p.loader.opts.Tools {
		names = append(names, t.Name)
	}
	return names
}

// ownTools lists the tools that the file brings.
func (p *parser) ownTools() []string {
	names := slices.Sorted(maps.Keys(p.workflow.CustomTools))
	for server := range p.workflow.MCP {
		names = append(names, server+"_*")
	}
	return names
}

// unknownTool reports a tool that does not exist. Without a list of built-in
// tools nothing is known of them.
func (p *parser) unknownTool(name string, n *tree.Node) bool {
	if p.loader.opts.Tools == nil {
		return false
	}
	if _, known := p.tool(name); known {
		return false
	}
	names := p.toolNames()
	d := p.Errorf(n, diagnostic.CodeTool, "there is no tool %q", name)
	d.Hint = toolHint(name, names)
	if tool, pattern := inBrackets(name); slices.Contains(names, tool) {
		d.Hint = fmt.Sprintf("write %s, and under permissions %s: {%q: allow}", tool, tool, pattern)
	} else if name == "*" || strings.EqualFold(name, "all") {
		d.Hint = tree.NoWordForAll
	} else if strings.Contains(name, "*") {
		d.Hint = "a pattern names tools of an MCP server: server_*"
	}
	return true
}

// toolHint says which tool was meant by a name that none has.
func toolHint(name string, names []string) string {
	lower := strings.ToLower(name)
	if server, tool, isMCP := strings.Cut(strings.TrimPrefix(lower, "mcp__"), "__"); isMCP && slices.Contains(names, server+"_*") {
		return fmt.Sprintf("write %s_%s: the server's name, _ and the tool's", server, tool)
	}
	if meant := foreignTools()[lower]; slices.Contains(names, meant) {
		return fmt.Sprintf("did you mean %q?", meant)
	}
	return tree.DidYouMean(lower, names)
}

func (p *parser) isBuiltIn(tool string) bool {
	return slices.ContainsFunc(p.loader.opts.Tools, func(t ToolInfo) bool { return t.Name == tool })
}

// checkToolNames looks at the tools and servers that the file brings.
func (p *parser) checkToolNames() {
	for name := range p.workflow.CustomTools {
		key := p.keyIn("custom_tools", name)
		if !isToolName(name) {
			p.Errorf(key, diagnostic.CodeTool, "%q is no name for a tool", name).Hint = toolNameSyntax
		}
		if p.isBuiltIn(name) {
			p.Errorf(key, diagnostic.CodeTool, "the tool %q is built in already", name)
		} else if judge := toolname.RuledBy(name); judge != "" {
			p.Errorf(key, diagnostic.CodeTool, "the name %q is kept for a tool that the rules of %q judge", name, judge).Hint = "such as my_" + name
		}
	}
	for name, server := range p.workflow.MCP {
		key := p.keyIn("mcp", name)
		if !isToolName(name) {
			p.Errorf(key, diagnostic.CodeTool, "%q is no name for a server", name).Hint = toolNameSyntax
		}
		if p.isBuiltIn(name) || toolname.RuledBy(name) != "" {
			p.Errorf(key, diagnostic.CodeTool, "a server can't have the name of a built-in tool: %q", name)
		}
		local, remote := len(server.Command) > 0, server.URL != nil
		if local == remote && !p.toldOfServer(p.root.Get("mcp").Get(name)) {
			p.Errorf(key, diagnostic.CodeKey, `an MCP server has "command" or "url", and only one of them`)
		}
	}
}

// toldOfServer reports whether it has been said already why a server has no command
// and no URL.
func (p *parser) toldOfServer(n *tree.Node) bool {
	command, url := n.Get("command"), n.Get("url")
	switch {
	case command != nil && url != nil:
		return false
	case command != nil:
		return command.Kind != tree.KindList
	}
	return url != nil
}

// checkEntries looks at the tools that a model is offered, with their pinned
// arguments.
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
		if p.unknownTool(entry.Name, at) {
			continue
		}
		info, _ := p.tool(entry.Name)
		p.checkArguments(info, entry.With, entry.node.Get("with"))
	}
}

// checkArguments reports arguments that a tool does not have or take.
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
				d := p.Errorf(at.Key(name), diagnostic.CodeTool, "the tool %q has no argument %q", tool.Name, name)
				if d.Hint = tree.DidYouMean(name, slices.Sorted(maps.Keys(properties))); meantArgument(schema, with, name) != "" {
					d.Hint = fmt.Sprintf("did you mean %q?", meantArgument(schema, with, name))
				}
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

// requiredArguments lists the arguments that a tool can't do without.
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

// meantArgument gives the required argument that was meant by one that a tool does
// not have: the only one that is missing, where the two names share a word; or "".
func meantArgument(schema map[string]any, with map[string]*Value, name string) string {
	properties, _ := schema["properties"].(map[string]any)
	if _, known := properties[name]; known {
		return ""
	}
	missing := slices.DeleteFunc(requiredArguments(schema), func(r string) bool { _, given := with[r]; return given })
	if len(missing) != 1 {
		return ""
	}
	plain := func(s string) string { return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(s)) }
	want, got := plain(missing[0]), plain(name)
	if got != "" && (strings.Contains(want, got) || strings.Contains(got, want)) {
		return missing[0]
	}
	return nearest.Of(name, missing)
}

// checkCall looks at a tool step.
func (p *parser) checkCall(d *stepDraft) {
	if strings.Contains(d.tool.text, "*") {
		p.Errorf(d.tool.node, diagnostic.CodeTool, "a step calls one tool, not a pattern of them")
		return
	}
	if p.unknownTool(d.tool.text, d.tool.node) {
		return
	}
	info, _ := p.tool(d.tool.text)
	at := d.present["with"].Value
	if at == nil {
		at = d.tool.node
	}
	schema := p.checkArguments(info, d.with, at)
	for _, name := range requiredArguments(schema) {
		if _, given := d.with[name]; !given && !slices.ContainsFunc(slices.Collect(maps.Keys(d.with)), func(other string) bool { return meantArgument(schema, d.with, other) == name }) {
			p.Errorf(d.tool.node, diagnostic.CodeTool, "the tool %q needs the argument %q", info.Name, name).Hint = "give it under with"
		}
	}
}

// checkOffers looks at what an agent step says of the tools that it offers.
func (p *parser) checkOffers(d *stepDraft) {
	offers := offersOf(d.step.Agent.Tools)
	if stop, own := d.present["stop"]; own {
		if list := stop.Value.Get("on_tool"); list != nil {
			for _, item := range list.Items {
				if item.Kind == tree.KindString && !offered(offers, item.Text) {
					p.Errorf(item, diagnostic.CodeTool, "the step does not offer its model the tool %q", item.Text).Hint = tree.DidYouMean(item.Text, offers)
				}
			}
		}
	}
	p.warnDenied(d)
}

// checkCalls reports calls("name") of a tool that the step does not offer: there
// never is such a call.
func (p *parser) checkCalls(c *Condition, offers []string) {
	if c == nil {
		return
	}
	for _, a := range c.expr.ArgumentsOf("calls") {
		switch {
		case a.Place > 0:
			p.ErrorWithin(c.expr.Node, a.Offset, 1, diagnostic.CodeExpression, "calls takes one name").Hint = `calls("a") and calls("b") are added by concat`
		case a.IsText && !offered(offers, a.Name):
			p.ErrorWithin(c.expr.Node, a.Offset, len(a.Name)+2, diagnostic.CodeTool, "the step does not offer its model the tool %q", a.Name).Hint = tree.DidYouMean(a.Name, offers)
		}
	}
}

// offersOf lists the names of tools, and patterns of names.
func offersOf(entries []ToolEntry) []string {
	offers := make([]string, len(entries))
	for i, t := range entries {
		offers[i] = t.Name
	}
	return offers
}

// offered reports whether a tool is among the offers.
func offered(offers []string, tool string) bool {
	return slices.ContainsFunc(offers, func(o string) bool { return o == tool || matchesName(o, tool) })
}

// matchesName reports whether a pattern such as github_* names a tool.
func matchesName(pattern, name string) bool {
	prefix, isPattern := strings.CutSuffix(pattern, "*")
	return isPattern && strings.HasPrefix(name, prefix)
}
