package host

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/folder"
	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/tools/shell"
	"github.com/a-seed-11b9befa/flow/tools/shell/held"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// limits are what the sandboxes of several workflows allow together: each can only narrow what the
// others allow.
type limits struct {
	on       bool       // one of them is on
	explicit bool       // one of them differs from the default
	byRules  bool       // one of them lets the rules decide what may be changed
	write    [][]string // the folders that the others name, a list for each
	landlock bool       // Landlock is enough
	offline  bool
	required bool
	partial  bool
	reveal   []string
}

// limitsOf combines the sandboxes of a scope's layers.
func (b *toolboxes) limitsOf(scope runner.ToolScope) limits {
	l := limits{partial: true, offline: b.options.Refuse != nil}
	if b.Fetched() {
		l.on, l.byRules, l.partial = true, true, false // the caller's default, which the recipe can only narrow
	}
	for i, layer := range scope.Layers {
		own := layer.Workflow.Sandbox
		if i > 0 && layer.Workflow == scope.Layers[i-1].Workflow || own.Off {
			continue
		}
		workspace := homeOf(layer, scope)
		reveal := b.env.sandboxPaths(own.Reveal, workspace)
		if l.on {
			reveal = folder.Common(l.reveal, reveal)
		} else {
			l.landlock = own.Landlock // the outermost decides which level is enough
		}
		l.on, l.reveal = true, reveal
		if own.Write == nil {
			l.byRules = true
		} else {
			l.write = append(l.write, b.env.sandboxPaths(own.Write, workspace))
		}
		l.offline = l.offline || own.Offline
		l.required = l.required || own.Required == workflows.LevelHeld
		l.partial = l.partial && own.Partial
		l.explicit = l.explicit || isExplicit(own)
	}
	return l
}

// isExplicit reports whether a sandbox differs from the default.
func isExplicit(s workflows.Sandbox) bool { return s.Offline || s.Required != "" || s.Write != nil }

// limitsAround combines the sandboxes of the workflows around that of a scope; ok is false if they
// don't restrict its author's commands. They always restrict those of a recipe, unless they are
// off.
func (b *toolboxes) limitsAround(scope runner.ToolScope) (l limits, ok bool) {
	around := scope
	around.Layers = slices.DeleteFunc(slices.Clone(scope.Layers), func(layer runner.Layer) bool { return layer.Workflow == scope.Workflow })
	l = b.limitsOf(around)
	return l, l.on && (l.explicit || b.foreign[scope.Workflow])
}

// judgesByRules reports whether the rules decide about the changes of held commands.
func (l limits) judgesByRules() bool { return l.on && !l.landlock && (l.byRules || len(l.write) == 0) }

// judgeFolders lets commands change the folders that the sandboxes name, or everything if they
// name none.
func (l limits) judgeFolders(c held.Change) (bool, string) {
	if slices.ContainsFunc(l.write, func(open []string) bool { return !folder.AnyHolds(open, c.Path) }) {
		return false, "sandbox: write"
	}
	return true, ""
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

// A kindOfCommand says who wrote a command, and who calls it.
type kindOfCommand int

const (
	modelCommand  kindOfCommand = iota // in bash
	customTool                         // the author's command, which a model calls
	authorCommand                      // of a step or a check
)

// sandboxFor returns the sandbox of a command in a scope; nil if it has none. The rules decide about
// what a model's command changes. The author's own command may change the whole workspace. It has a
// sandbox if the workflows around restrict it, or if the author wishes it; a custom tool also if its
// workflow has a sandbox of its own.
func (b *toolboxes) sandboxFor(scope runner.ToolScope, of kindOfCommand, wish runner.Wish) (*shell.Sandbox, error) {
	own := b.limitsOf(scope)
	if of != modelCommand {
		sandbox, err := b.authorSandbox(scope, own, wish)
		if sandbox != nil || err != nil || of == authorCommand || !own.explicit {
			return sandbox, err
		}
	}
	hold := held.Available() == nil && !own.landlock
	if !own.on || !hold && shell.Sandboxes() != nil {
		return nil, nil // checkSandbox has warned, or refused
	}
	ws, err := b.workspace(scope)
	if err != nil {
		return nil, err
	}
	sandbox := &shell.Sandbox{Write: slices.Concat(ws.changeable(), shell.Scratch(b.env.lookup)), Offline: own.offline, Keeper: ws.keeper}
	if hold {
		sandbox.Hold = &shell.Hold{
			Space: ws.space, Required: own.required, Partial: own.partial,
			Refused: func(err error) { b.warnUnheld(scope, err) },
			Judge:   func(ctx context.Context) held.Judge { return b.judgeEffects(ctx, ws) },
		}
	}
	return sandbox, nil
}

// authorSandbox returns the sandbox of an author's command; nil if neither the workflows around nor
// the author ask for one, or if the author does and commands can't be held.
func (b *toolboxes) authorSandbox(scope runner.ToolScope, own limits, wish runner.Wish) (*shell.Sandbox, error) {
	l, restricted := b.limitsAround(scope)
	if !restricted {
		if held.Available() != nil || wish == runner.HoldNot || wish == runner.HoldDefault && (!own.on || own.landlock) {
			return nil, nil
		}
		l = limits{offline: own.offline, required: own.required}
	}
	ws, err := b.workspace(scope)
	if err != nil {
		return nil, err
	}
	space, err := b.openSpace(scope, l, ws.open)
	switch {
	case err != nil:
		return nil, err
	case space != nil:
		return &shell.Sandbox{Offline: l.offline, Hold: &shell.Hold{
			Space: ws.open, Required: true, Git: ws.policies.onlyGit,
			Judge: func(context.Context) held.Judge { return l.judgeFolders },
		}}, nil
	case !restricted:
		return nil, nil
	}
	sandbox := b.confined(scope, l)
	if sandbox != nil {
		sandbox.Keeper = ws.keeper
	}
	return sandbox, nil
}

// openSpace opens the space of held programs; nil, with a warning, if they can't be held and need
// not be.
func (b *toolboxes) openSpace(scope runner.ToolScope, l limits, open func() (*held.Space, error)) (*held.Space, error) {
	if l.landlock || held.Available() != nil {
		return nil, nil // checkSandbox has warned, or refused
	}
	space, err := open()
	switch {
	case err == nil:
		return space, nil
	case l.required:
		return nil, configuration("", "%v", err)
	}
	b.warnUnheld(scope, err)
	return nil, nil
}

// warnUnheld warns that the programs of a workflow can't be held.
func (b *toolboxes) warnUnheld(scope runner.ToolScope, err error) {
	b.warnOnce("commands and servers of " + scope.Workflow.Shown + " are not held: " + err.Error())
}

// confined returns a sandbox of Landlock in which programs change the workspace, or those folders
// of it that the sandboxes name; nil, with a warning, if the kernel has none.
func (b *toolboxes) confined(scope runner.ToolScope, l limits) *shell.Sandbox {
	if err := shell.Sandboxes(); err != nil {
		b.warnOnce("commands and servers of " + scope.Workflow.Shown + " run without a sandbox: " + err.Error())
		return nil
	}
	root := realPath(scope.Workspace)
	write := folder.Common(append([][]string{{root}}, l.write...)...)
	sandbox := &shell.Sandbox{Write: slices.Concat(write, shell.Scratch(b.env.lookup)), Offline: l.offline}
	if b.foreign[scope.Workflow] {
		sandbox.Unread = b.unread(root, l)
	}
	return sandbox
}

// unread are the files with secrets that Landlock hides.
func (b *toolboxes) unread(root string, l limits) []string {
	return held.Secrets(b.env.home(), root, l.reveal)
}
