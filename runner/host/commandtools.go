package host

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/tools/shell"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// commands returns bash and the workflow's own tools. A step without both needs no sandbox, whose
// setup takes longer than the rest of a short run.
func (b *toolboxes) commands(scope runner.ToolScope, ws *workspace) ([]tools.Tool, error) {
	if !slices.Contains(scope.Tools, toolBash) && len(scope.Workflow.CustomTools) == 0 {
		return nil, nil
	}
	ruled := ws.policies
	env := scope.Environment
	sandbox, ofCustom := b.sandboxes(scope, ws)
	var around *shell.Sandbox
	if h, ok := b.around(scope); ok {
		var err error
		if around, err = b.holdAround(scope, ws, h); err != nil {
			return nil, err
		}
	}
	all := []tools.Tool{shell.Bash(shell.BashOptions{Root: scope.Workspace, Env: env, Read: ruled.read, Sandbox: sandbox})}
	for _, name := range slices.Sorted(maps.Keys(scope.Workflow.CustomTools)) {
		t, own := scope.Workflow.CustomTools[name], ofCustom
		switch {
		case around != nil:
			own = around
		case t.Held:
			open, err := b.holdOpen(ws)
			if err != nil {
				return nil, err
			}
			own = cmp.Or(open, ofCustom)
		}
		all = append(all, customTool(t, scope, env, own))
	}
	return all, nil
}

// customTool is a tool of the workflow for one step, whose values its expressions see.
func customTool(t *workflows.CustomTool, scope runner.ToolScope, env []string, sandbox *shell.Sandbox) tools.Tool {
	return shell.Custom(shell.CustomOptions{
		Spec: tools.Spec{Name: t.Name, Description: t.Description, Parameters: t.Parameters},
		Dir:  scope.Workspace, Env: env, Sandbox: sandbox,
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
