package host

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/folder"
	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/tools/shell"
	"github.com/a-seed-11b9befa/flow/tools/shell/held"
	"github.com/a-seed-11b9befa/flow/workflows"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// checkSandbox reports that the commands of models would run without the sandbox that their
// workflow has by default, or that it requires.
func (l *Loaded) checkSandbox() workflows.Diagnostics {
	if !slices.ContainsFunc(l.all, func(w *workflows.Workflow) bool {
		_, wants := wantsHold(w)
		return wants || w.Sandbox.Required != "" || runsCommands(w)
	}) {
		return nil
	}
	unheld, missing := held.Available(), shell.Sandboxes()
	if unheld == nil {
		return nil
	}
	var f findings
	foreign := l.foreign()
	for _, w := range l.all {
		at := workflows.Position{File: w.Shown, Line: 1, Column: 1}
		asked, wants := wantsHold(w)
		switch {
		case w.Sandbox.Required == workflows.LevelHeld:
			f.add(at, workflows.SeverityError, diagnostic.CodeSandbox, "the workflow requires held commands: "+unheld.Error(),
				"sandbox: {required: landlock} accepts a weaker sandbox, if the kernel has it")
			return f.found
		case w.Sandbox.Required == workflows.LevelLandlock && missing != nil:
			f.add(at, workflows.SeverityError, diagnostic.CodeSandbox, "the workflow requires a sandbox for commands: "+missing.Error(), "")
			return f.found
		case (!w.Sandbox.Off || foreign[w]) && missing != nil && runsCommands(w):
			f.add(at, workflows.SeverityWarning, diagnostic.CodeSandbox,
				"models' commands run without a sandbox here: "+missing.Error(), "only the permission rules limit them; to accept that: sandbox: off")
			return f.found
		case wants:
			f.add(asked, workflows.SeverityWarning, diagnostic.CodeSandbox,
				"commands can't be held here, so held: true has no effect: "+unheld.Error(), "to refuse to run in that case: sandbox: required")
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

// sandboxes returns the sandboxes of bash and of custom tools in a step; nil is none. A custom
// tool is the author's own command, and has one only if its workflow asks for it.
func (b *toolboxes) sandboxes(scope runner.ToolScope, ws *workspace) (bash, custom *shell.Sandbox) {
	hold := b.holdModel(scope, ws)
	if hold == nil && shell.Sandboxes() != nil || !ws.holding.any {
		return nil, nil // checkSandbox has warned, or refused
	}
	bash = &shell.Sandbox{Write: slices.Concat(ws.changeable(), shell.Scratch(b.env.lookup)), Offline: ws.holding.offline, Hold: hold, Keeper: ws.keeper}
	if ws.holding.changed {
		custom = bash
	}
	return bash, custom
}

// changeable returns the files and folders in which the sandboxes around let commands change
// something: those that they name, or those of the rules for writing.
func (ws *workspace) changeable() []string {
	lists := ws.holding.write
	if ws.holding.ruled || len(lists) == 0 {
		lists = append(slices.Clip(lists), ws.policies.writable())
	}
	return folder.Common(lists...)
}

// sandboxPaths makes the paths of a workflow absolute and resolves links, as the kernel does.
func (env Environment) sandboxPaths(given []string, workspace string) []string {
	var out []string
	for _, path := range given {
		if rest, ok := strings.CutPrefix(path, "~/"); ok && env.home() != "" {
			path = filepath.Join(env.home(), rest)
		}
		path = paths.In(workspace, path)
		if w := (paths.Walk{At: "/", Todo: path}); w.Run() == nil {
			path = w.At // also if it does not exist yet
		}
		out = append(out, path)
	}
	return out
}

// writable returns the folders that all policies let commands change.
func (ps policies) writable() []string {
	var open [][]string
	for _, p := range ps {
		open = append(open, p.Writable())
	}
	return folder.Common(open...)
}
