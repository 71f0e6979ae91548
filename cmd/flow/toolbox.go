package main

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/tools/files"
)

// toolboxes makes the tools of steps. What the elements of a foreach and the
// attempts of a step share is made once. It is safe for concurrent use; it is
// the caller's to close it, when nothing runs any more.
type toolboxes struct {
	program   *program
	protected []string // the files that the run is made of

	mu     sync.Mutex
	opened map[string]*place
}

// A place is a workspace under the policy of one step.
type place struct {
	policies policies
	files    *files.Workspace
}

// toolboxes returns toolboxes that have nothing open yet.
func (p *program) toolboxes(protected []string) *toolboxes {
	return &toolboxes{program: p, protected: protected, opened: map[string]*place{}}
}

// box returns the tools that a step may be offered, and what guards them.
func (b *toolboxes) box(scope runner.ToolScope) (runner.Toolbox, error) {
	at, err := b.place(scope)
	if err != nil {
		return runner.Toolbox{}, err
	}
	known := map[string]tools.Tool{}
	for _, t := range at.files.Tools() {
		known[t.Spec().Name] = t
	}
	for _, t := range b.commands(scope, at.policies) {
		known[t.Spec().Name] = t
	}
	find := func(name string) []tools.Tool {
		if t := known[name]; t != nil {
			return []tools.Tool{t}
		}
		return nil
	}
	return runner.Toolbox{Find: find, Guard: guard{at.policies}}, nil
}

// place opens the workspace of a step under its policy, the first time.
func (b *toolboxes) place(scope runner.ToolScope) (*place, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	id := scopeID(scope)
	if at := b.opened[id]; at != nil {
		return at, nil
	}
	ruled, err := b.program.newPolicies(scope, b.protected)
	if err != nil {
		return nil, err
	}
	workspace, err := files.New(files.Options{
		Root: scope.Workspace, Readable: readable(ruled, scope), Extra: []string{scope.Outputs},
	})
	if err != nil {
		return nil, configuration("", "%v", err)
	}
	at := &place{policies: ruled, files: workspace}
	b.opened[id] = at
	return at, nil
}

// scopeID tells scopes apart whose policies or workspaces differ. The rules of
// a step are one map for as long as its workflow is loaded.
func scopeID(scope runner.ToolScope) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%q %q %q %p", scope.Workspace, scope.Outputs, scope.Tools, scope.Workflow)
	for _, layer := range scope.Layers {
		fmt.Fprintf(&b, " %p %p %q", layer.Workflow, layer.Step, layer.Workspace)
	}
	return b.String()
}

// close lets go of the workspaces.
func (b *toolboxes) close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	var errs []error
	for _, at := range b.opened {
		errs = append(errs, at.files.Close())
	}
	return errors.Join(errs...)
}
