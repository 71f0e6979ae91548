package host

import (
	"context"
	"encoding/json"
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

// A holding is what the sandboxes around a step say of its commands, put together:
// each can only narrow what the others let it do.
type holding struct {
	asked    bool       // one of them says more than the default
	any      bool       // one of them is on
	ruled    bool       // one of them leaves it to the rules what may be changed
	write    [][]string // what the others say, one list for each
	landlock bool
	offline  bool
	required bool
	partial  bool
	reveal   []string
}

// holdingOf reads the sandboxes of a step's layers.
func (b *toolboxes) holdingOf(scope runner.ToolScope) holding {
	h := holding{partial: true, offline: b.reached != nil}
	if b.foreignTop {
		h.any, h.ruled, h.partial = true, true, false // who runs it has the default, which the recipe only narrows
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
			h.landlock = own.Landlock // the outermost says how much is enough
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
		h.asked = h.asked || own.Offline || own.Required != "" || own.Write != nil
	}
	return h
}

// judgesByRules reports whether what held commands change is judged by the rules.
func (h holding) judgesByRules() bool { return h.any && !h.landlock && (h.ruled || len(h.write) == 0) }

// holdModel returns how a model's commands in a step are held; nil where they are not.
func (b *toolboxes) holdModel(scope runner.ToolScope, at *place) *shell.Hold {
	if held.Available() != nil || at.holding.landlock || !at.holding.any {
		return nil
	}
	return &shell.Hold{
		Space:    at.space,
		Required: at.holding.required,
		Refused: func(err error) {
			b.warnOnce("commands are not held, only kept to folders: " + err.Error())
		},
		Judge:   func(ctx context.Context) held.Judge { return b.judgeEffects(ctx, at) },
		Partial: at.holding.partial,
		Git:     at.policies.onlyGit,
		Guesses: at.policies.guesses,
	}
}

// spaceOf returns what makes the space of a place, when the first command needs it.
func (b *toolboxes) spaceOf(scope runner.ToolScope, at *place) func() (*held.Space, error) {
	return sync.OnceValues(func() (*held.Space, error) {
		return b.newSpace(scope, held.SpaceOptions{
			Protected: at.protected,
			Others:    slices.Concat(append(at.holding.write, at.policies.writable())...),
			Hidden:    at.policies.hides, Outside: at.policies.unreadable, Reveal: at.holding.reveal,
			Ignored: func() func(string, bool) bool { return at.files.Ignored(context.Background()) },
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

// heldRun is the run that held commands of a workflow are of: those of each recipe have
// one. What a recipe puts into caches, where programs find what they then run, is for nobody
// else, and is never kept.
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

// judgeEffects judges what one command did. A rule that asks is asked for once.
func (b *toolboxes) judgeEffects(ctx context.Context, at *place) held.Judge {
	answered := map[string]bool{}
	return func(c held.Change) (bool, string) {
		for _, write := range at.holding.write {
			if !slices.ContainsFunc(write, func(open string) bool { return folder.Holds(open, c.Path) }) {
				return false, "sandbox: write"
			}
		}
		if !at.holding.ruled && len(at.holding.write) > 0 {
			return true, ""
		}
		d := at.policies.lands(c.Path)
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

// askOfEffect asks about a file that a command has changed as about a write.
func (b *toolboxes) askOfEffect(ctx context.Context, c held.Change, d permission.Decision) bool {
	input, err := json.Marshal(map[string]string{"filePath": c.Path})
	if err != nil {
		return false
	}
	answer, err := b.ask(ctx, "write", input, tools.Decision{Verdict: tools.Ask, Rule: d.Rule, Reason: "a command has changed it: " + d.Reason})
	return err == nil && answer.Verdict == tools.Allow
}

// lands is the strictest decision of all about what a command has changed.
func (ps policies) lands(path string) permission.Decision {
	var strictest permission.Decision
	for i, p := range ps {
		if d := p.Lands(path); i == 0 || d.Verdict < strictest.Verdict {
			strictest = d
		}
	}
	return strictest
}

// hides reports whether commands may not see what is in a file or a folder.
func (ps policies) hides(path string, folder bool) bool {
	return slices.ContainsFunc(ps, func(p *permission.Policy) bool { return p.Hides(path, folder) })
}

// unreadable are the files and folders that commands may not see by a whole path.
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

// onlyGit reports whether git alone could change a repository's own files.
func (ps policies) onlyGit(command, dir string) bool {
	return ps.all(func(p *permission.Policy) bool { return p.OnlyGit(command, dir) })
}
