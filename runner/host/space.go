package host

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/tools/permission"
	"github.com/a-seed-11b9befa/flow/tools/shell"
	"github.com/a-seed-11b9befa/flow/tools/shell/held"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// judgedSpace returns the space of held commands whose changes the rules judge.
func (b *toolboxes) judgedSpace(scope runner.ToolScope, ws *workspace) (*held.Space, error) {
	return b.newSpace(scope, models, held.SpaceOptions{
		Protected: ws.protected,
		Others:    slices.Concat(append(ws.limits.write, ws.policy.Writable())...),
		Hidden:    ws.policy.Hides, Outside: ws.policy.Unreadable, Reveal: ws.limits.reveal,
		Ignored: func() func(string, bool) bool { return ws.files.Ignored(context.Background()) },
	})
}

// openedSpace returns the space of held commands that may change the whole workspace. They see the
// run's folder.
func (b *toolboxes) openedSpace(scope runner.ToolScope, ws *workspace) (*held.Space, error) {
	reveal := slices.Clone(ws.limits.reveal)
	if scope.Run != "" {
		reveal = append(reveal, scope.Run)
	}
	protected := ws.protected
	if !b.foreign[scope.Workflow] {
		protected = slices.DeleteFunc(slices.Clone(protected), func(path string) bool { return slices.Contains(b.sources, path) })
	}
	return b.newSpace(scope, authors, held.SpaceOptions{Protected: protected, Reveal: reveal})
}

func (b *toolboxes) newSpace(scope runner.ToolScope, of commandsOf, o held.SpaceOptions) (space *held.Space, err error) {
	defer func() {
		if err != nil {
			err = configuration("", "%v", err)
		}
	}()
	root, err := filepath.EvalSymlinks(scope.Workspace)
	if err != nil {
		return nil, err
	}
	run, err := b.heldRun(scope.Workflow, of)
	if err != nil {
		return nil, err
	}
	o.Root, o.Hooks = root, b.hooksAround(scope.Workspace)
	return run.Space(o)
}

// commandsOf says whose commands are held.
type commandsOf bool

const (
	models  commandsOf = false
	authors commandsOf = true
)

// cachesOf is whose commands share caches, since programs run what they find there: a check must not pass because of
// what a model's command has put there.
type cachesOf struct {
	recipe string // "" is the caller's own
	commandsOf
}

// heldRun returns the caches of a workflow's held commands. Those of a recipe are never kept.
func (b *toolboxes) heldRun(w *workflows.Workflow, of commandsOf) (*held.Run, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	key := cachesOf{commandsOf: of}
	if b.foreign[w] {
		key.recipe = b.origins.trustRoot(w.File)
	}
	if run := b.held[key]; run != nil {
		return run, nil
	}
	run, err := held.Open(held.Options{
		Home: b.env.home(), Lookup: b.env.lookup, KeepCaches: b.Sandbox.KeepCaches && !b.foreign[w],
		Finished: func(root string) {
			b.warn(fmt.Sprintf("flow was killed while changes of a command landed in %s; the rest of them has landed now", root))
		},
	})
	if err == nil {
		b.held[key] = run
	}
	return run, err
}

// judgeEffects returns the judge of what one command did, which asks once for each rule.
func (b *toolboxes) judgeEffects(ctx context.Context, ws *workspace) held.Judge {
	answered := map[string]bool{}
	return func(c held.Change) (bool, string) {
		if ok, why := ws.limits.judgeFolders(c); !ok || !ws.limits.byRules && len(ws.limits.write) > 0 {
			return ok, why
		}
		d := ws.policy.Lands(c.Path)
		rule := d.Rule
		if rule == "" {
			rule = d.Reason
		}
		if d.Verdict != permission.Ask || b.options.Ask == nil {
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
	answer, err := b.options.Ask(ctx, "write", input, tools.Decision{Verdict: tools.Ask, Rule: d.Rule, Reason: "a command has changed it: " + d.Reason})
	return err == nil && answer.Verdict == tools.Allow
}

// Prepare runs a script of the workflow's author in a new workspace, before a run there. It sees the
// named variables of the environment. That of a recipe is held to the workspace, but may make a
// repository there, with settings and hooks of git, which run programs: the caller has to remove the
// workspace.
func (l *Loaded) Prepare(ctx context.Context, script, workspace string, names []string) error {
	b := newToolboxes(l, Options{})
	defer b.close()
	command := steps.Command{Source: script, Dir: workspace, Env: l.env.ofCommands(names, nil), Mask: l.Mask()}
	if l.Fetched() {
		var err error
		if command.Sandbox, err = b.sandboxToPrepare(runner.ToolScope{Workflow: l.Workflow, Workspace: workspace}); err != nil {
			return err
		}
	}
	if r := command.Run(ctx); r.Error != nil {
		return r.Error
	}
	return nil
}

// sandboxToPrepare returns the sandbox of a recipe's script that prepares a workspace; nil if there
// is none.
func (b *toolboxes) sandboxToPrepare(scope runner.ToolScope) (*shell.Sandbox, error) {
	s, err := b.sandbox(scope, limits{offline: true, required: true}, false)
	if s != nil && s.Hold != nil {
		s.Hold.Space = sync.OnceValues(func() (*held.Space, error) { return b.newSpace(scope, authors, held.SpaceOptions{Disposable: true}) })
		s.Hold.Git = func(string, string) bool { return true }
	}
	return s, err
}
