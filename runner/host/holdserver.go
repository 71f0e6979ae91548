package host

import (
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/a-seed-11b9befa/flow/internal/folder"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/tools/mcp"
	"github.com/a-seed-11b9befa/flow/tools/shell"
	"github.com/a-seed-11b9befa/flow/tools/shell/held"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A confinement restricts a server. The zero value does not.
type confinement struct {
	sandbox *shell.Sandbox
	space   *held.Space // in place of the sandbox
	offline bool        // in the space
	direct  []string    // what it changes in the workspace of the space, and beside it
	guarded bool        // it may only reach its own address
}

// hold sets the options with which a server starts in its confinement.
func (c confinement) hold(o *mcp.Options) {
	if c.guarded {
		o.Transport = guarded
	}
	switch {
	case c.space != nil:
		// The caches of the home folder are read-only: it gets others, among its temporary
		// files. Its own environment overrides them.
		o.Env = append([]string{"XDG_CACHE_HOME=/tmp/cache", "NPM_CONFIG_CACHE=/tmp/cache/npm"}, o.Env...)
		o.Hold = func(cmd *exec.Cmd) (mcp.View, error) {
			view, err := c.space.Begin(held.Call{Offline: c.offline, ReadOnly: true, Direct: c.direct})
			if err != nil {
				return nil, err
			}
			return view, view.Wrap(cmd)
		}
	case c.sandbox != nil:
		o.Confine = c.sandbox.Enter
	}
}

// confineServer returns how a server of a step's workflow is confined: by the workflows around, or
// because it says held: true. A server lives too long for its changes to be judged, so one from
// elsewhere may change only its temporary files, and its held: true opens nothing more.
func (b *toolboxes) confineServer(scope runner.ToolScope, server *workflows.Server) (confinement, error) {
	h, ok := b.around(scope)
	switch {
	case server.Held && !(ok && b.foreign[scope.Workflow]):
		return b.confineHeld(scope)
	case !ok:
		return confinement{}, nil
	case !b.foreign[scope.Workflow]:
		return confinement{sandbox: b.confined(scope, h)}, nil
	case !h.landlock && held.Available() == nil:
		ws, err := b.workspace(scope)
		if err != nil {
			return confinement{}, err
		}
		space, err := ws.open()
		if err == nil {
			return confinement{space: space, offline: h.offline}, nil
		}
		if h.required {
			return confinement{}, configuration("", "%v", err)
		}
		b.warnOnce("servers of " + scope.Workflow.Shown + " are not held; they can write temporary files only: " + err.Error())
	}
	sandbox := b.confined(scope, h)
	if sandbox != nil {
		sandbox.Write = b.scratchBeside(scope)
	}
	return confinement{sandbox: sandbox}, nil
}

// confineHeld confines a server that says held: true. It sees what commands of models see, and
// changes, besides its temporary files, what the rules at the top of its file let them change.
func (b *toolboxes) confineHeld(scope runner.ToolScope) (confinement, error) {
	scope = atTop(scope)
	ws, err := b.workspace(scope)
	if err != nil {
		return confinement{}, err
	}
	if held.Available() == nil {
		space, err := ws.space()
		if err == nil {
			return confinement{space: space, offline: ws.holding.offline, direct: ws.changeable()}, nil
		}
		if ws.holding.required {
			return confinement{}, configuration("", "%v", err)
		}
		b.warnOnce("servers of " + scope.Workflow.Shown + " are only kept to folders: " + err.Error())
	}
	sandbox := b.confined(scope, ws.holding)
	if sandbox != nil {
		sandbox.Write = slices.Concat(ws.changeable(), shell.Scratch(b.env.lookup))
		sandbox.Unread = held.Secrets(b.env.home(), realPath(scope.Workspace), ws.holding.reveal)
	}
	return confinement{sandbox: sandbox}, nil
}

// atTop returns a scope without what differs between the steps of its workflow, which share a server.
func atTop(scope runner.ToolScope) runner.ToolScope {
	top := runner.ToolScope{Workflow: scope.Workflow, Workspace: homeOf(scope), Run: scope.Run}
	for _, layer := range scope.Layers {
		if layer.Workflow != scope.Workflow {
			top.Layers = append(top.Layers, layer)
		}
	}
	top.Layers = append(top.Layers, runner.Layer{Workflow: scope.Workflow, Workspace: top.Workspace})
	return top
}

// scratchBeside returns the folders of temporary files and caches that contain neither the
// workspace nor protected files.
func (b *toolboxes) scratchBeside(scope runner.ToolScope) []string {
	never := append(b.protectedFrom(scope), scope.Workspace, realPath(scope.Workspace))
	return slices.DeleteFunc(shell.Scratch(b.env.lookup), func(open string) bool {
		open = realPath(filepath.Clean(open))
		return slices.ContainsFunc(never, func(path string) bool { return folder.Holds(open, path) || folder.Holds(path, open) })
	})
}
