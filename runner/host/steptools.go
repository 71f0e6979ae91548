package host

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/tools/permission"
	"github.com/a-seed-11b9befa/flow/tools/shell"
	"github.com/a-seed-11b9befa/flow/tools/web"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// commands returns bash and the workflow's own tools. A step without both needs no sandbox, whose
// setup takes longer than the rest of a short run.
func (b *toolboxes) commands(scope runner.ToolScope, ws *workspace) ([]tools.Tool, error) {
	if !slices.Contains(scope.Tools, toolBash) && len(scope.Workflow.CustomTools) == 0 {
		return nil, nil
	}
	sandbox, err := b.sandboxFor(scope, modelCommand, runner.HoldDefault)
	if err != nil {
		return nil, err
	}
	env := scope.Environment
	all := []tools.Tool{shell.Bash(shell.BashOptions{Root: scope.Workspace, Env: env, Read: ws.policy.Read, Sandbox: sandbox})}
	for _, name := range slices.Sorted(maps.Keys(scope.Workflow.CustomTools)) {
		t, wish := scope.Workflow.CustomTools[name], runner.HoldNot
		if t.Held {
			wish = runner.HoldAsked
		}
		if sandbox, err = b.sandboxFor(scope, customTool, wish); err != nil {
			return nil, err
		}
		all = append(all, newCustomTool(t, scope, env, sandbox))
	}
	return all, nil
}

// newCustomTool returns a tool of the workflow for one step, whose values its expressions see.
func newCustomTool(t *workflows.CustomTool, scope runner.ToolScope, env []string, sandbox *shell.Sandbox) tools.Tool {
	return shell.Custom(shell.CustomOptions{
		Spec: tools.Spec{Name: t.Name, Description: t.Description, Parameters: t.Parameters},
		Dir:  scope.Workspace, Env: env, Sandbox: sandbox, Reads: t.Reads,
		Render: func(arguments map[string]any) (shell.Command, error) { return renderTool(t, scope.Env, arguments) },
	})
}

// renderTool renders the command of one call. The model's arguments are words of it, or values that
// its script refers to.
func renderTool(t *workflows.CustomTool, around workflows.Env, arguments map[string]any) (shell.Command, error) {
	names := workflows.Env{}
	maps.Copy(names, around)
	names["args"] = arguments
	if t.Script != nil {
		rendered, err := t.Script.Render(names)
		if err != nil {
			return shell.Command{}, err
		}
		c := shell.Command{Script: rendered.Source}
		for _, v := range rendered.Values {
			c.Values = append(c.Values, shell.Variable(v))
		}
		return c, nil
	}
	var c shell.Command
	for i, word := range t.Args {
		text, err := word.Text(names)
		if err != nil {
			return shell.Command{}, fmt.Errorf("word %d: %w", i+1, err)
		}
		c.Args = append(c.Args, text)
	}
	return c, nil
}

// webfetch returns the tool that fetches pages, under the rules of a step.
func (b *toolboxes) webfetch(ruled *permission.Policy) tools.Tool {
	return web.Fetch(web.Options{
		Refused: b.warn,
		Judge: func(ctx context.Context, address string, first bool) (string, tools.Decision) {
			if b.options.Refuse != nil {
				b.options.Refuse("the page " + address)
				return "", tools.Decision{Verdict: tools.Deny, Reason: "no other machine may be contacted here"}
			}
			return b.judgeAddress(ctx, ruled, address, first)
		},
	})
}

// judgeAddress decides about an address like about a call. If the rule is ask, the first address
// of a call was asked about before; a redirect is asked about here.
func (b *toolboxes) judgeAddress(ctx context.Context, ruled *permission.Policy, address string, first bool) (string, tools.Decision) {
	input, err := mainInput(toolWebfetch, address)
	if err != nil {
		return "", tools.Decision{Verdict: tools.Deny, Reason: err.Error()}
	}
	found := ruled.Decide(permission.Call{Tool: toolWebfetch, Input: input})
	d := toolsDecision(found)
	if d.Verdict != tools.Ask || first || b.options.Ask == nil {
		return found.Path, d
	}
	d, err = b.options.Ask(ctx, toolWebfetch, input, d)
	if err != nil {
		d = tools.Decision{Verdict: tools.Deny, Rule: d.Rule, Reason: err.Error()}
	}
	return found.Path, d
}
