package host

import (
	"slices"
	"sync"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/tools/shell"
	"github.com/a-seed-11b9befa/flow/tools/shell/held"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// hold returns the sandbox that holds a command of a workflow's author, which may run what a
// model wrote, to the workspace; nil if commands can't be held, or if neither the workflow nor
// those around it ask for that.
func (b *toolboxes) hold(scope runner.ToolScope, wish runner.Wish) (*shell.Sandbox, error) {
	around, isAround := b.around(scope)
	own := b.holdingOf(scope)
	asked := wish == runner.HoldAsked || wish != runner.HoldNot && own.any && !own.landlock
	if !isAround && (!asked || held.Available() != nil) {
		return nil, nil
	}
	ws, err := b.workspace(scope)
	if err != nil {
		return nil, err
	}
	if isAround {
		if sandbox, err := b.holdAround(scope, ws, around); sandbox != nil || err != nil {
			return sandbox, err
		}
	}
	if !asked {
		return nil, nil
	}
	return b.holdOpen(ws)
}

// holdOpen returns a sandbox in which commands may change the whole workspace, except what
// never lands; nil if they can't be held.
func (b *toolboxes) holdOpen(ws *workspace) (*shell.Sandbox, error) {
	if held.Available() != nil {
		return nil, nil
	}
	sandbox, err := ws.opened(holding{offline: ws.holding.offline}) // it names no folders
	switch {
	case err != nil && ws.holding.required:
		return nil, configuration("", "%v", err)
	case err != nil:
		b.warnOnce("the author's commands are not held: " + err.Error())
	}
	return sandbox, nil
}

// openSpace returns a function that makes the space of commands that may change a whole
// workspace when the first one needs it. They see the run's folder.
func (b *toolboxes) openSpace(scope runner.ToolScope, ws *workspace) func() (*held.Space, error) {
	return sync.OnceValues(func() (*held.Space, error) {
		reveal := slices.Clone(ws.holding.reveal)
		if scope.Run != "" {
			reveal = append(reveal, scope.Run)
		}
		protected := ws.protected
		if !b.foreign[scope.Workflow] {
			protected = slices.DeleteFunc(slices.Clone(protected), func(path string) bool { return slices.Contains(b.sources, path) })
		}
		return b.newSpace(scope, held.SpaceOptions{Protected: protected, Reveal: reveal})
	})
}

// wantsHold returns where a workflow says that a command of its author is held; ok is false if
// it says so nowhere.
func wantsHold(w *workflows.Workflow) (at workflows.Position, ok bool) {
	for _, step := range workflows.Leaves(w.Steps) {
		if step.Command != nil && step.Command.Held {
			return step.Pos, true
		}
		if step.Agent == nil {
			continue
		}
		for _, check := range step.Agent.Checks {
			if check.Held != nil && *check.Held {
				return check.Pos, true
			}
		}
	}
	for _, tool := range w.CustomTools {
		if tool.Held {
			return tool.Pos, true
		}
	}
	return at, false
}
