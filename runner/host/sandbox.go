package host

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/folder"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/tools/shell"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// codeSandbox is the code of diagnostics about what the system lacks.
const codeSandbox = "sandbox"

// checkSandbox says once where the commands of models would run without the
// sandbox that their workflow has by default, or that it requires.
func (l *Loaded) checkSandbox() workflows.Diagnostics {
	missing := shell.Sandboxes()
	if missing == nil {
		return nil
	}
	var f findings
	for _, w := range l.all {
		at := workflows.Position{File: w.File, Line: 1, Column: 1}
		switch {
		case w.Sandbox.Required:
			f.add(at, workflows.SeverityError, codeSandbox, "the workflow requires a sandbox for commands: "+missing.Error(), "")
			return f.found
		case !w.Sandbox.Off && runsCommands(w):
			f.add(at, workflows.SeverityWarning, codeSandbox,
				"commands of models run without a sandbox here: "+missing.Error(), "the rules alone stand before them; sandbox: off says that this is known")
			return f.found
		}
	}
	return nil
}

// runsCommands reports whether a model is offered bash.
func runsCommands(w *workflows.Workflow) bool {
	return slices.ContainsFunc(workflows.Leaves(w.Steps), func(step *workflows.Step) bool {
		return step.Call != nil && step.Call.Tool == toolBash ||
			step.Agent != nil && slices.ContainsFunc(step.Agent.Tools, func(t workflows.ToolEntry) bool { return t.Name == toolBash })
	})
}

// sandboxes returns the sandboxes of bash and of custom tools in a step; nil is
// none. A custom tool is the author's own command: it is in one where its
// workflow asks for it.
func (b *toolboxes) sandboxes(scope runner.ToolScope, ruled policies) (bash, custom *shell.Sandbox) {
	if shell.Sandboxes() != nil {
		return nil, nil // checkSandbox has said it, or refused
	}
	asked := false
	for i, layer := range scope.Layers {
		own := layer.Workflow.Sandbox
		if i > 0 && layer.Workflow == scope.Layers[i-1].Workflow || own.Off {
			continue
		}
		write := ruled.writable()
		if own.Write != nil {
			write = b.env.sandboxPaths(own.Write, cmp.Or(layer.Workspace, scope.Workspace))
		}
		bash = narrowed(bash, &shell.Sandbox{Write: write, Offline: own.Offline})
		asked = asked || own.Offline || own.Required || own.Write != nil
	}
	if bash != nil {
		bash.Write = slices.Concat(bash.Write, shell.Scratch(b.env.lookup))
	}
	if asked {
		custom = bash
	}
	return bash, custom
}

// narrowed is the sandbox that lets a command do only what both do; nil is none.
func narrowed(a, b *shell.Sandbox) *shell.Sandbox {
	if a == nil {
		return b
	}
	return &shell.Sandbox{Write: folder.Common(a.Write, b.Write), Offline: a.Offline || b.Offline}
}

// sandboxPaths makes the paths of a workflow absolute and free of links, as the
// kernel will see them.
func (env Environment) sandboxPaths(paths []string, workspace string) []string {
	var out []string
	for _, path := range paths {
		if rest, ok := strings.CutPrefix(path, "~/"); ok && env.home() != "" {
			path = filepath.Join(env.home(), rest)
		}
		path = Absolute(workspace, path)
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real
		}
		out = append(out, path)
	}
	return out
}

// writable are the folders that all policies let commands change.
func (ps policies) writable() []string {
	var open []string
	for i, p := range ps {
		if i == 0 {
			open = p.Writable()
			continue
		}
		open = folder.Common(open, p.Writable())
	}
	return open
}
