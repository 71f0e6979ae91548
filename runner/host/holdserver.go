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
)

// A confinement restricts a server. The zero value does not.
type confinement struct {
	sandbox *shell.Sandbox
	space   *held.Space // in place of the sandbox
	offline bool        // in the space
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
			view, err := c.space.Begin(held.Call{Offline: c.offline, ReadOnly: true})
			if err != nil {
				return nil, err
			}
			return view, view.Wrap(cmd)
		}
	case c.sandbox != nil:
		o.Confine = c.sandbox.Enter
	}
}

// confineServer returns how the workflows around that of a step confine its servers. A server
// lives too long for its changes to be judged, so one from elsewhere may change only its
// temporary files.
func (b *toolboxes) confineServer(scope runner.ToolScope) (confinement, error) {
	h, ok := b.around(scope)
	switch {
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
		b.warnOnce("servers of " + scope.Workflow.File + " are not held; they can write temporary files only: " + err.Error())
	}
	sandbox := b.confined(scope, h)
	if sandbox != nil {
		sandbox.Write = b.scratchBeside(scope)
	}
	return confinement{sandbox: sandbox}, nil
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
