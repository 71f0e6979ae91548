package host

import (
	"context"
	"slices"

	"github.com/a-seed-11b9befa/flow/internal/folder"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/tools/shell"
	"github.com/a-seed-11b9befa/flow/tools/shell/held"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// foreign returns the workflows from elsewhere, with those that they use.
func (l *Loaded) foreign() map[*workflows.Workflow]bool {
	all := map[*workflows.Workflow]bool{}
	for _, w := range l.all {
		if l.Fetched() {
			all[w] = true
		}
		for _, step := range workflows.Leaves(w.Steps) {
			if step.Use == nil || !l.origins.comesFromElsewhere(w, step.Use) {
				continue
			}
			for _, used := range step.Use.Workflow.Used() {
				all[used] = true
			}
		}
	}
	return all
}

// isHeld reports whether another workflow, or the caller, may hold the commands of a workflow.
func (l *Loaded) isHeld(w *workflows.Workflow) bool {
	return l.foreign()[w] || w != l.Workflow && slices.ContainsFunc(l.all, func(other *workflows.Workflow) bool {
		own := other.Sandbox
		return other != w && !own.Off && (own.Offline || own.Required != "" || own.Write != nil)
	})
}

// around combines the sandboxes of the workflows around that of a step, for its author's
// commands; ok is false if they are not held. Those of a workflow from elsewhere always are,
// unless the workflows around it have sandbox: off.
func (b *toolboxes) around(scope runner.ToolScope) (h holding, ok bool) {
	callers := slices.DeleteFunc(slices.Clone(scope.Layers), func(layer runner.Layer) bool { return layer.Workflow == scope.Workflow })
	h = b.holdingOf(runner.ToolScope{Workflow: scope.Workflow, Workspace: scope.Workspace, Layers: callers})
	return h, h.any && (h.changed || b.foreign[scope.Workflow])
}

// holdAround returns the sandbox in which the workflows around that of a step hold its author's
// commands; nil if they don't. Commands may change the workspace, unless the sandboxes around name
// folders.
func (b *toolboxes) holdAround(scope runner.ToolScope, ws *workspace, h holding) (*shell.Sandbox, error) {
	if !h.landlock && held.Available() == nil {
		sandbox, err := ws.opened(h)
		if err == nil {
			return sandbox, nil
		}
		if h.required {
			return nil, configuration("", "%v", err)
		}
		b.warnOnce("commands of " + scope.Workflow.Shown + " are not held; the kernel limits their writes to folders: " + err.Error())
	}
	sandbox := b.confined(scope, h)
	if sandbox != nil {
		sandbox.Keeper = ws.keeper
	}
	return sandbox, nil
}

// opened returns a sandbox in which commands may change the whole workspace, except what never
// lands, or the folders that sandboxes name.
func (ws *workspace) opened(h holding) (*shell.Sandbox, error) {
	if _, err := ws.open(); err != nil {
		return nil, err
	}
	return &shell.Sandbox{Offline: h.offline, Hold: &shell.Hold{
		Space: ws.open, Required: true, Git: ws.policies.onlyGit,
		Judge: func(context.Context) held.Judge { return h.judgeFolders },
	}}, nil
}

// confined returns a sandbox that keeps commands to folders; nil if the kernel has none.
func (b *toolboxes) confined(scope runner.ToolScope, h holding) *shell.Sandbox {
	if err := shell.Sandboxes(); err != nil {
		b.warnOnce("commands of " + scope.Workflow.Shown + " run without a sandbox: " + err.Error())
		return nil
	}
	root := realPath(scope.Workspace)
	write := folder.Common(append([][]string{{root}}, h.write...)...)
	sandbox := &shell.Sandbox{Write: slices.Concat(write, shell.Scratch(b.env.lookup)), Offline: h.offline}
	if b.foreign[scope.Workflow] {
		sandbox.Unread = held.Secrets(b.env.home(), root, h.reveal)
	}
	return sandbox
}
