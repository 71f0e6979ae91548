package host

import (
	"context"
	"sync"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools/shell"
	"github.com/a-seed-11b9befa/flow/tools/shell/held"
)

// Prepare runs a script of the workflow's author in a new workspace, before a run there. It sees the
// named variables of the environment. That of a recipe is held to the workspace, but may make a
// repository there, with settings and hooks of git, which run programs: the caller has to remove the
// workspace.
func (l *Loaded) Prepare(ctx context.Context, script, workspace string, names []string) error {
	b := newToolboxes(l)
	defer b.close()
	command := steps.Command{Source: script, Dir: workspace, Env: l.env.ofCommands(names, nil), Mask: l.Mask()}
	if l.Fetched() {
		command.Sandbox = b.holdPreparing(runner.ToolScope{Workflow: l.Workflow, Workspace: workspace})
	}
	if r := command.Run(ctx); r.Error != nil {
		return r.Error
	}
	return nil
}

// holdPreparing returns the sandbox of a recipe's script that prepares a workspace; nil if there is
// none.
func (b *toolboxes) holdPreparing(scope runner.ToolScope) *shell.Sandbox {
	if held.Available() != nil {
		return b.confined(scope, holding{offline: true})
	}
	return &shell.Sandbox{Offline: true, Hold: &shell.Hold{
		Space:    sync.OnceValues(func() (*held.Space, error) { return b.newSpace(scope, held.SpaceOptions{Disposable: true}) }),
		Required: true,
		Git:      func(string, string) bool { return true },
		Judge:    func(context.Context) held.Judge { return holding{}.judgeFolders },
	}}
}
