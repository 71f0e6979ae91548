package host

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"

	"github.com/a-seed-11b9befa/flow/internal/known"
	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/tools/files"
	"github.com/a-seed-11b9befa/flow/tools/mcp"
	"github.com/a-seed-11b9befa/flow/tools/permission"
	"github.com/a-seed-11b9befa/flow/tools/shell"
	"github.com/a-seed-11b9befa/flow/tools/shell/held"
)

// toolboxes makes the tools of steps. What the elements and attempts of a step share is made
// once. It is safe for concurrent use. The caller closes it when nothing runs any more.
type toolboxes struct {
	*Loaded
	protectedFiles
	*sideWarnings
	options Options // of the run, if there is one
	unknown bool    // values in the patterns of rules may not be known, and match nothing then

	mu      sync.Mutex
	servers map[string]*mcp.Server
	logs    map[string]int         // how many servers have the same name
	held    map[cachesOf]*held.Run // the caches of held commands
	opened  map[string]*workspace
}

// A workspace is the files that a step works on, under the policy of that step.
type workspace struct {
	policy    *permission.Policy
	protected []string // the paths that its tools and commands never write
	files     *files.Workspace
	limits    limits
	space     func() (*held.Space, error) // for held commands whose changes the rules judge
	open      func() (*held.Space, error) // for held commands that may change the whole workspace
	keeper    *shell.Keeper               // of paths that commands that are not held must not change
}

// held reports whether a model's commands are really held, so that their changes are judged by the
// rules. If no space can be made, Landlock restricts them, and their words are judged for that.
func (ws *workspace) held() bool {
	if held.Available() != nil || !ws.limits.judgesByRules() {
		return false
	}
	_, err := ws.space()
	return err == nil
}

// changeable returns the files and folders in which the sandboxes around let commands change
// something: those that they name, or those of the rules for writing.
func (ws *workspace) changeable() []string {
	lists := ws.limits.write
	if ws.limits.byRules || len(lists) == 0 {
		lists = append(slices.Clip(lists), ws.policy.Writable())
	}
	return paths.CommonFolders(lists...)
}

// mayWrite reports whether a write may end at a path to which it followed a link: a link that was made
// after the call was judged must not lead to what the rules deny. If a rule asks, the answer that was
// given counts.
func (ws *workspace) mayWrite(path string) bool {
	return about(ws.policy, "write", path).Verdict != permission.Deny
}

// onlyGit reports whether only git could change a repository's own files in a command.
func (ws *workspace) onlyGit(command, dir string) bool {
	read, err := ws.policy.Read(command, dir)
	return err == nil && read.OnlyGit
}

// newToolboxes returns the toolboxes of a run with these options.
func newToolboxes(l *Loaded, o Options) *toolboxes {
	return &toolboxes{
		Loaded: l, protectedFiles: l.protectedFilesOf(o), sideWarnings: &sideWarnings{say: o.Warn}, options: o,
		servers: map[string]*mcp.Server{}, logs: map[string]int{}, held: map[cachesOf]*held.Run{}, opened: map[string]*workspace{},
	}
}

// box returns the tools that may be offered to a step, and their guard. Servers that it needs are
// started within ctx, and live until close.
func (b *toolboxes) box(ctx context.Context, scope runner.ToolScope) (runner.Toolbox, error) {
	ws, err := b.workspace(scope)
	if err != nil {
		return runner.Toolbox{}, err
	}
	known := map[string]tools.Tool{}
	for _, t := range ws.files.Tools() {
		known[t.Spec().Name] = t
	}
	commands, err := b.commands(scope, ws)
	if err != nil {
		return runner.Toolbox{}, err
	}
	for _, t := range commands {
		known[t.Spec().Name] = t
	}
	known[toolWebfetch] = b.webfetch(ws.policy)
	for _, t := range b.env.Tools {
		known[t.Spec().Name] = t
	}
	served, err := b.serverTools(ctx, scope)
	if err != nil {
		return runner.Toolbox{}, err
	}
	ruled := ws.policy
	if len(served) > 0 {
		// The tools of servers may change: this policy is for one step.
		if ruled, err = b.policyOf(scope, ws.protected, ws.held, served...); err != nil {
			return runner.Toolbox{}, err
		}
	}
	served = b.distinct(served, known)
	find := func(name string) []tools.Tool {
		if t := known[name]; t != nil {
			return []tools.Tool{t}
		}
		return pick(name, scope.Tools, served)
	}
	return runner.Toolbox{Find: find, Guard: guard{ruled}}, nil
}

// workspace returns the workspace of a step under its policy, and opens it the first time.
func (b *toolboxes) workspace(scope runner.ToolScope) (*workspace, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	key := keyOf(scope)
	if ws := b.opened[key]; ws != nil {
		return ws, nil
	}
	ws := &workspace{limits: b.limitsOf(scope), protected: b.protectedFrom(scope)}
	var err error
	if ws.policy, err = b.policyOf(scope, ws.protected, ws.held); err != nil {
		return nil, err
	}
	ws.files, err = files.New(files.Options{
		Root: scope.Workspace, Home: b.env.home(),
		Readable: ws.searchable(scope), Writable: ws.mayWrite, Extra: []string{scope.Outputs},
	})
	if err != nil {
		return nil, configuration("", "%v", err)
	}
	ws.space = sync.OnceValues(func() (*held.Space, error) { return b.judgedSpace(scope, ws) })
	ws.open = sync.OnceValues(func() (*held.Space, error) { return b.openedSpace(scope, ws) })
	ws.keeper = b.keeperOf(scope, ws.protected)
	b.opened[key] = ws
	return ws, nil
}

// searchable returns which files and folders searches may show. A folder in the workspace is
// always shown, since its files are judged one by one; any other has to be one in which the
// step's search tools may look.
func (ws *workspace) searchable(scope runner.ToolScope) func(path string) bool {
	root := realPath(scope.Workspace)
	return func(path string) bool {
		if ws.policy.Readable(path) {
			return true
		}
		if info, err := os.Lstat(path); err != nil || !info.IsDir() {
			return false
		}
		return paths.Holds(root, path) || slices.ContainsFunc(scope.Tools, func(tool string) bool {
			searches := tool != "read" && known.RuledBy(tool) == "read"
			return searches && about(ws.policy, tool, path).Verdict == permission.Allow
		})
	}
}

// keyOf returns what identifies the workspace of a scope: scopes with the same key share one.
func keyOf(scope runner.ToolScope) string {
	key := fmt.Sprintf("%p %q %q %q", scope.Workflow, scope.Workspace, scope.Outputs, scope.Tools)
	for _, layer := range scope.Layers {
		key += fmt.Sprintf(" %p %q %v", layer.Workflow, layer.Workspace, layer.Step)
	}
	return key
}

// close ends the servers and closes the workspaces.
func (b *toolboxes) close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	errs := []error{b.closeServers()}
	for key, run := range b.held {
		errs = append(errs, run.Close())
		delete(b.held, key)
	}
	for _, ws := range b.opened {
		errs = append(errs, ws.files.Close())
	}
	return errors.Join(errs...)
}
