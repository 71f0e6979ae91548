package host

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

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
			reveal = paths.CommonFolders(l.reveal, reveal)
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
	if slices.ContainsFunc(l.write, func(open []string) bool { return !paths.AnyHolds(open, c.Path) }) {
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
		if around, restricted := b.limitsAround(scope); restricted {
			return b.sandbox(scope, around, false)
		}
		if held.Available() == nil && (wish == runner.HoldAsked || wish == runner.HoldDefault && own.on && !own.landlock) {
			return b.sandbox(scope, limits{offline: own.offline, required: own.required}, false)
		}
		if of == authorCommand || !own.explicit {
			return nil, nil
		}
	}
	if !own.on || held.Available() != nil && shell.Sandboxes() != nil {
		return nil, nil // checkSandbox has warned, or refused
	}
	return b.sandbox(scope, own, true)
}

// sandbox returns the sandbox of a program within limits: it is held, or else restricted by Landlock. It
// returns nil, with a warning, if the system has neither. If ruled, the rules decide what may be changed;
// else that is the workspace, or the folders of it that the limits name.
func (b *toolboxes) sandbox(scope runner.ToolScope, l limits, ruled bool) (*shell.Sandbox, error) {
	hold := held.Available() == nil && !l.landlock
	if err := shell.Sandboxes(); err != nil && !hold {
		b.warnOnce("commands and servers of " + scope.Workflow.Shown + " run without a sandbox: " + err.Error())
		return nil, nil
	}
	ws, err := b.workspace(scope)
	if err != nil {
		return nil, err
	}
	root := realPath(scope.Workspace)
	s := &shell.Sandbox{Write: ws.changeable(), Offline: l.offline, Keeper: ws.keeper}
	h := &shell.Hold{
		Space: ws.space, Required: l.required, Partial: l.partial,
		Refused: func(err error) {
			b.warnOnce("commands and servers of " + scope.Workflow.Shown + " are not held: " + err.Error())
		},
		Judge: func(ctx context.Context) held.Judge { return b.judgeEffects(ctx, ws) },
	}
	if !ruled {
		s.Write = paths.CommonFolders(append([][]string{{root}}, l.write...)...)
		if b.foreign[scope.Workflow] {
			s.Unread = b.unread(root, l)
		}
		h.Space, h.Partial, h.Git = ws.open, false, ws.onlyGit
		h.Judge = func(context.Context) held.Judge { return l.judgeFolders }
	}
	if hold {
		s.Hold = h
	} else {
		shell.MakeCache(b.env.lookup)
	}
	s.Write = slices.Concat(s.Write, shell.Scratch(b.env.lookup))
	return s, nil
}

// unread are the files with secrets that Landlock hides.
func (b *toolboxes) unread(root string, l limits) []string {
	return held.Secrets(b.env.home(), root, l.reveal)
}
