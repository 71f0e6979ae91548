package host

import (
	"context"
	"path/filepath"
	"slices"
	"sync"

	"github.com/a-seed-11b9befa/flow/internal/folder"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/tools/permission"
	"github.com/a-seed-11b9befa/flow/tools/shell"
	"github.com/a-seed-11b9befa/flow/tools/shell/held"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A holding combines the sandboxes around a step: each can only narrow what the others allow.
type holding struct {
	changed  bool       // one of them differs from the default
	any      bool       // one of them is on
	ruled    bool       // one of them lets the rules decide what may be changed
	write    [][]string // the folders that the others name, a list for each
	landlock bool
	offline  bool
	required bool
	partial  bool
	reveal   []string
}

// holdingOf reads the sandboxes of a step's layers.
func (b *toolboxes) holdingOf(scope runner.ToolScope) holding {
	h := holding{partial: true, offline: b.refuse != nil}
	if b.foreignTop {
		h.any, h.ruled, h.partial = true, true, false // the caller's default, which the recipe can only narrow
	}
	for i, layer := range scope.Layers {
		own := layer.Workflow.Sandbox
		if i > 0 && layer.Workflow == scope.Layers[i-1].Workflow || own.Off {
			continue
		}
		workspace := layer.Workspace
		if workspace == "" {
			workspace = scope.Workspace
		}
		reveal := b.env.sandboxPaths(own.Reveal, workspace)
		if h.any {
			reveal = folder.Common(h.reveal, reveal)
		} else {
			h.landlock = own.Landlock // the outermost decides which level is enough
		}
		h.any, h.reveal = true, reveal
		if own.Write == nil {
			h.ruled = true
		} else {
			h.write = append(h.write, b.env.sandboxPaths(own.Write, workspace))
		}
		h.offline = h.offline || own.Offline
		h.required = h.required || own.Required == workflows.LevelHeld
		h.partial = h.partial && own.Partial
		h.changed = h.changed || own.Offline || own.Required != "" || own.Write != nil
	}
	return h
}

// judgesByRules reports whether what held commands change is judged by the rules.
func (h holding) judgesByRules() bool { return h.any && !h.landlock && (h.ruled || len(h.write) == 0) }

// holdModel returns how a model's commands in a step are held; nil if they are not.
func (b *toolboxes) holdModel(scope runner.ToolScope, ws *workspace) *shell.Hold {
	if held.Available() != nil || ws.holding.landlock || !ws.holding.any {
		return nil
	}
	return &shell.Hold{
		Space:    ws.space,
		Required: ws.holding.required,
		Refused: func(err error) {
			b.warnOnce("commands are not held; the kernel limits their writes to folders: " + err.Error())
		},
		Judge:   func(ctx context.Context) held.Judge { return b.judgeEffects(ctx, ws) },
		Partial: ws.holding.partial,
	}
}

// spaceOf returns a function that makes the space of a workspace when the first command needs it.
func (b *toolboxes) spaceOf(scope runner.ToolScope, ws *workspace) func() (*held.Space, error) {
	return sync.OnceValues(func() (*held.Space, error) {
		return b.newSpace(scope, held.SpaceOptions{
			Protected: ws.protected,
			Others:    slices.Concat(append(ws.holding.write, ws.policies.writable())...),
			Hidden:    ws.policies.hides, Outside: ws.policies.unreadable, Reveal: ws.holding.reveal,
			Ignored: func() func(string, bool) bool { return ws.files.Ignored(context.Background()) },
		})
	})
}

// newSpace makes a space for the workspace of a step.
func (b *toolboxes) newSpace(scope runner.ToolScope, o held.SpaceOptions) (*held.Space, error) {
	root, err := filepath.EvalSymlinks(scope.Workspace)
	if err != nil {
		return nil, err
	}
	run, err := b.heldRun(scope.Workflow)
	if err != nil {
		return nil, err
	}
	o.Root, o.Protected = root, slices.Clone(o.Protected)
	if scope.Run != "" {
		o.Protected = append(o.Protected, scope.Run)
	}
	return run.Space(o)
}

// heldRun returns the caches of a workflow's held commands. Each recipe has its own, which are
// never kept, since programs run what they find in caches.
func (b *toolboxes) heldRun(w *workflows.Workflow) (*held.Run, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	recipe := ""
	if b.foreign[w] {
		recipe = b.ground(w.File)
	}
	if run := b.held[recipe]; run != nil {
		return run, nil
	}
	run, err := held.Open(held.Options{Home: b.env.home(), Lookup: b.env.lookup, KeepCaches: b.keepCaches && !b.foreign[w]})
	if err == nil {
		b.held[recipe] = run
	}
	return run, err
}

// judgeFolders lets commands change the folders that the sandboxes name, or everything if they
// name none.
func (h holding) judgeFolders(c held.Change) (bool, string) {
	if slices.ContainsFunc(h.write, func(open []string) bool { return !folder.AnyHolds(open, c.Path) }) {
		return false, "sandbox: write"
	}
	return true, ""
}

// judgeEffects returns the judge of what one command did, which asks once for each rule.
func (b *toolboxes) judgeEffects(ctx context.Context, ws *workspace) held.Judge {
	answered := map[string]bool{}
	return func(c held.Change) (bool, string) {
		if ok, why := ws.holding.judgeFolders(c); !ok || !ws.holding.ruled && len(ws.holding.write) > 0 {
			return ok, why
		}
		d := ws.policies.lands(c.Path)
		rule := d.Rule
		if rule == "" {
			rule = d.Reason
		}
		if d.Verdict != permission.Ask || b.ask == nil {
			return d.Verdict == permission.Allow, rule
		}
		allowed, known := answered[d.Rule]
		if !known {
			allowed = b.askOfEffect(ctx, c, d)
			answered[d.Rule] = allowed
		}
		return allowed, rule
	}
}

// askOfEffect asks about a file that a command has changed like about a write.
func (b *toolboxes) askOfEffect(ctx context.Context, c held.Change, d permission.Decision) bool {
	input, err := mainInput("write", c.Path)
	if err != nil {
		return false
	}
	answer, err := b.ask(ctx, "write", input, tools.Decision{Verdict: tools.Ask, Rule: d.Rule, Reason: "a command has changed it: " + d.Reason})
	return err == nil && answer.Verdict == tools.Allow
}

// lands returns the strictest decision about a path that a command has changed.
func (ps policies) lands(path string) permission.Decision {
	var all []permission.Decision
	for _, p := range ps {
		all = append(all, p.Lands(path))
	}
	return strictest(all)
}

// hides reports whether commands may not see the contents of a file or a folder.
func (ps policies) hides(path string, folder bool) bool {
	return slices.ContainsFunc(ps, func(p *permission.Policy) bool { return p.Hides(path, folder) })
}

// unreadable returns the absolute paths of files and folders that commands may not see.
func (ps policies) unreadable() (all []string, err error) {
	for _, p := range ps {
		found, err := p.Unreadable()
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// onlyGit reports whether only git could change a repository's own files in a command.
func (ps policies) onlyGit(command, dir string) bool {
	read, err := ps.read(command, dir)
	return err == nil && read.OnlyGit
}
