package host

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/nearest"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/tools/permission"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A serverTool is a tool of an MCP server, or the stand-in for a missing one.
type serverTool struct {
	server string
	tool   tools.Tool
}

func (t serverTool) name() string { return t.tool.Spec().Name }

// announced returns the tool as the policy knows it.
func (t serverTool) announced() permission.MCPTool {
	return permission.MCPTool{Server: t.server, Tool: strings.TrimPrefix(t.name(), t.server+"_")}
}

// serverTools starts the servers that a step's list of tools names, and returns all their tools.
// If a server does not start, there is a warning, and the step gets stand-ins for its tools.
func (b *toolboxes) serverTools(ctx context.Context, scope runner.ToolScope) ([]serverTool, error) {
	var all []serverTool
	for _, name := range serversNamed(scope.Workflow, scope.Tools) {
		server, err := b.server(scope, scope.Workflow.MCP[name])
		if err != nil {
			return nil, err
		}
		found, err := server.Tools(ctx)
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err != nil && scope.Workflow.MCP[name].Required:
			return nil, configuration("", "%v", err)
		case err != nil:
			b.warnOnce(err.Error())
			all = append(all, missingTools(name, scope.Tools, err)...)
		default:
			mine := make([]serverTool, len(found))
			for i, tool := range found {
				mine[i] = serverTool{name, tool}
			}
			if err := b.checkNames(scope, name, mine); err != nil {
				return nil, err
			}
			all = append(all, mine...)
		}
	}
	return all, nil
}

// serversNamed returns the servers whose tools a list may name, as server_tool.
func serversNamed(w *workflows.Workflow, listed []string) []string {
	var named []string
	for _, server := range slices.Sorted(maps.Keys(w.MCP)) {
		if slices.ContainsFunc(listed, func(tool string) bool { return strings.HasPrefix(tool, server+"_") }) {
			named = append(named, server)
		}
	}
	return named
}

// checkNames compares the tools of a server with the step's list and the rules. A tool of the list that
// the server lacks is an error. There is a warning of a pattern that matches nothing, and of such a
// rule: a denial with a typo would protect nothing.
func (b *toolboxes) checkNames(scope runner.ToolScope, server string, found []serverTool) error {
	w, names := scope.Workflow, toolsOf(found)
	isOf := func(name string) bool {
		own := serversNamed(w, []string{name})
		return len(own) == 1 && own[0] == server
	}
	for _, listed := range scope.Tools {
		pattern := strings.Contains(listed, "*")
		switch {
		case !isOf(listed) || w.CustomTools[listed] != nil:
		case pattern && !slices.ContainsFunc(found, func(t serverTool) bool { return fitsPattern(listed, t) }):
			b.warnOnce(fmt.Sprintf("MCP server %q: none of its tools matches %q", server, listed))
		case !pattern && !slices.Contains(names, listed):
			return configuration(meantTool(listed, names), "MCP server %q has no tool %q", server, listed)
		}
	}
	rules := []workflows.Permissions{w.Permissions}
	for _, layer := range scope.Layers {
		if layer.Workflow == w {
			rules = append(rules, layer.Step)
		}
	}
	there := slices.AppendSeq(slices.Clone(names), maps.Keys(w.CustomTools))
	for _, permissions := range rules {
		for _, key := range slices.Sorted(maps.Keys(permissions)) {
			fits := func(tool string) bool {
				fits, err := path.Match(strings.ToLower(key), strings.ToLower(tool))
				return fits || err != nil
			}
			if list := permissions[key]; len(list) > 0 && isOf(key) && !slices.ContainsFunc(there, fits) {
				b.warnOnce(fmt.Sprintf("%v: a rule for %q, but MCP server %q has no such tool; %s", list[0].Pos, key, server, meantTool(key, names)))
			}
		}
	}
	return nil
}

// toolsOf returns the names of tools.
func toolsOf(found []serverTool) (names []string) {
	for _, t := range found {
		names = append(names, t.name())
	}
	return names
}

// meantTool returns the hint for the name of a tool that does not exist: the nearest name, or all
// names.
func meantTool(name string, names []string) string {
	return nearest.Hint(name, names, "it has "+cmp.Or(strings.Join(names[:min(len(names), 20)], ", "), "none"))
}

// fitsPattern reports whether a pattern such as github_* matches a tool. It has to spell out the
// server, since the name of another one may begin with the same letters.
func fitsPattern(pattern string, t serverTool) bool {
	prefix, isPattern := strings.CutSuffix(pattern, "*")
	return isPattern && strings.HasPrefix(prefix, t.server+"_") && strings.HasPrefix(t.name(), prefix)
}

// pick returns the server tools for one entry of a step's list, except those that another entry
// spells out, or an earlier pattern matches.
func pick(entry string, listed []string, all []serverTool) []tools.Tool {
	var found []tools.Tool
	for _, t := range all {
		names := func(listed string) bool { return listed == t.name() }
		if !slices.ContainsFunc(listed, names) {
			names = func(listed string) bool { return fitsPattern(listed, t) }
		}
		if i := slices.IndexFunc(listed, names); i >= 0 && listed[i] == entry {
			found = append(found, t.tool)
		}
	}
	return found
}

// distinct leaves out tools that share their name with another tool: the policy denies them
// whatever the rules say.
func (b *toolboxes) distinct(all []serverTool, known map[string]tools.Tool) []serverTool {
	count := map[string]int{}
	for _, t := range all {
		count[t.name()]++
	}
	return slices.DeleteFunc(all, func(t serverTool) bool {
		shared := count[t.name()] > 1 || known[t.name()] != nil
		if shared {
			b.warnOnce(fmt.Sprintf("MCP server %q: several tools have the name %q, so none of them is offered", t.server, t.name()))
		}
		return shared
	})
}

// mcpCalls returns the calls that the name of a tool may mean if no server runs. A custom tool of
// that name takes precedence.
func mcpCalls(w *workflows.Workflow, call permission.Call) []permission.Call {
	var calls []permission.Call
	for _, server := range serversNamed(w, []string{call.Tool}) {
		c := call
		c.Server, c.MCPTool = server, strings.TrimPrefix(call.Tool, server+"_")
		calls = append(calls, c)
	}
	if calls == nil || w.CustomTools[call.Tool] != nil {
		return []permission.Call{call}
	}
	return calls
}

// lists reports whether an entry of a step's list may name a tool.
func lists(entry, tool string) bool {
	prefix, isPattern := strings.CutSuffix(entry, "*")
	return entry == tool || isPattern && strings.HasPrefix(tool, prefix)
}

// A missingTool takes the place of a tool whose server did not start, and tells the model so.
type missingTool struct {
	name string
	why  error
}

// missingTools returns those for the tools of a server that a step spells out. Which tools a
// pattern would have matched is not known.
func missingTools(server string, listed []string, why error) []serverTool {
	var all []serverTool
	for _, name := range listed {
		if strings.HasPrefix(name, server+"_") && !strings.Contains(name, "*") {
			all = append(all, serverTool{server, missingTool{name, why}})
		}
	}
	return all
}

// Spec says that the tool can't be used.
func (t missingTool) Spec() tools.Spec {
	return tools.Spec{
		Name: t.name, Description: "Not available: its server did not start.",
		Parameters: json.RawMessage(`{"type":"object","additionalProperties":true}`),
	}
}

// Effects returns none.
func (missingTool) Effects(json.RawMessage) tools.Effects { return tools.Effects{} }

// Run returns why the tool is missing.
func (t missingTool) Run(context.Context, json.RawMessage, *tools.Output) (tools.Result, error) {
	return tools.Result{Failed: true, Note: t.why.Error()}, nil
}
