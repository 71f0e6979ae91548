package host

import (
	"io"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/tools/mcp"
	"github.com/a-seed-11b9befa/flow/tools/shell"
	"github.com/a-seed-11b9befa/flow/tools/shell/held"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A confinement restricts a server. The zero value does not.
type confinement struct {
	sandbox *shell.Sandbox // Landlock
	space   *held.Space    // in place of Landlock
	direct  []string       // what it changes in the workspace of the space, and beside it
	guarded bool           // it may only reach its own address
}

// confine sets the options with which a server starts in its confinement.
func (c confinement) confine(o *mcp.Options) {
	if c.guarded {
		o.Transport = guarded
	}
	switch {
	case c.space != nil:
		// The caches of the home folder are read-only: it gets others, among its temporary
		// files. Its own environment overrides them.
		o.Env = append([]string{"XDG_CACHE_HOME=/tmp/cache", "NPM_CONFIG_CACHE=/tmp/cache/npm"}, o.Env...)
		o.Hold = func(cmd *exec.Cmd) (io.Closer, error) {
			view, err := c.space.Begin(held.Call{Offline: c.sandbox.Offline, ReadOnly: true, Direct: c.direct})
			if err != nil {
				return nil, err
			}
			return view, view.Wrap(cmd)
		}
	case c.sandbox != nil:
		o.Confine = c.sandbox.Enter
	}
}

// confinementOf returns how a server of a scope's workflow is confined: by the workflows around, or
// because it says held: true. A server lives too long for its changes to be judged, so that of a
// recipe may change only its temporary files, and its held: true opens nothing more.
func (b *toolboxes) confinementOf(scope runner.ToolScope, server *workflows.Server) (c confinement, err error) {
	around, restricted := b.limitsAround(scope)
	c.guarded = b.foreign[scope.Workflow]
	switch {
	case restricted && c.guarded:
		if c.sandbox, err = b.sandbox(scope, around, false); c.sandbox != nil {
			c.sandbox.Write = b.scratchBeside(scope)
		}
	case server.Held:
		err = c.holdByRules(b, atTop(scope))
	case restricted:
		around.landlock = true // it would have to be held to change nothing at all
		c.sandbox, err = b.sandbox(scope, around, false)
	}
	if err != nil || c.sandbox == nil {
		return c, err
	}
	return c, c.open()
}

// holdByRules lets a server see what commands of models see, and change, besides its temporary
// files, what the rules at the top of its file let them change.
func (c *confinement) holdByRules(b *toolboxes, scope runner.ToolScope) error {
	ws, err := b.workspace(scope)
	if err != nil {
		return err
	}
	l := ws.limits
	l.landlock = false // which leaves it held
	if c.sandbox, err = b.sandbox(scope, l, true); c.sandbox != nil {
		c.direct, c.sandbox.Unread = ws.changeable(), b.unread(realPath(scope.Workspace), l)
	}
	return err
}

// open opens the space of a server that is held. One that can't be held, and need not be, is left to
// Landlock, with a warning.
func (c *confinement) open() (err error) {
	hold := c.sandbox.Hold
	if c.sandbox.Hold, c.sandbox.Keeper = nil, nil; hold == nil {
		return nil
	}
	c.space, err = hold.Space()
	switch {
	case err != nil && hold.Required:
		return err
	case err != nil:
		hold.Refused(err)
	}
	return nil
}

// confinedBySteps reports whether the confinement of a workflow's servers depends on the step that
// uses the workflow.
func (l *Loaded) confinedBySteps(w *workflows.Workflow) bool {
	return l.foreign[w] || w != l.Workflow && slices.ContainsFunc(l.all, func(other *workflows.Workflow) bool {
		return other != w && !other.Sandbox.Off && isExplicit(other.Sandbox)
	})
}

// atTop returns a scope without what differs between the steps of its workflow, which share a server.
func atTop(scope runner.ToolScope) runner.ToolScope {
	top := runner.ToolScope{Workflow: scope.Workflow, Workspace: ownHome(scope), Run: scope.Run}
	for _, layer := range scope.Layers {
		if layer.Workflow != scope.Workflow {
			top.Layers = append(top.Layers, layer)
		}
	}
	top.Layers = append(top.Layers, runner.Layer{Workflow: scope.Workflow, Workspace: top.Workspace, Env: scope.Env})
	return top
}

// scratchBeside returns the folders of temporary files and caches that contain neither the
// workspace nor protected files.
func (b *toolboxes) scratchBeside(scope runner.ToolScope) []string {
	never := append(b.protectedFrom(scope), scope.Workspace, realPath(scope.Workspace))
	return slices.DeleteFunc(shell.Scratch(b.env.lookup), func(open string) bool {
		open = realPath(filepath.Clean(open))
		return slices.ContainsFunc(never, func(path string) bool { return paths.Holds(open, path) || paths.Holds(path, open) })
	})
}
