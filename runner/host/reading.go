package host

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/tools/permission"
)

// A reading reads files for the expressions of a step, or of a workflow.
type reading struct {
	*toolboxes
	scope runner.ToolScope
	ruled bool       // a model may have influenced the paths
	rules *workspace // by which it reads; nil: none

	records []string // folders of runs, for a workflow from elsewhere
}

// reading returns what opens files under the rules of a step, or of a workflow alone. Those that the
// author of a workflow named are under no rules; for an author from elsewhere under those of the
// workflows around that have other authors.
func (b *toolboxes) reading(scope runner.ToolScope, own bool) (runner.Reading, error) {
	foreign := b.foreign[scope.Workflow]
	if own && !foreign {
		return nil, nil
	}
	if own {
		author := b.origins.trustRoot(scope.Workflow.File)
		scope.Layers = slices.DeleteFunc(slices.Clone(scope.Layers), func(l runner.Layer) bool { return b.origins.trustRoot(l.Workflow.File) == author })
		scope.Workspace = cmp.Or(scope.Workspace, ownHome(scope)) // where it works may not be known yet
	}
	r := reading{toolboxes: b, scope: scope, ruled: !own}
	if foreign && b.options.Dir != "" {
		r.records = recordsBeside(realPath(b.options.Dir))
	}
	if own && len(scope.Layers) == 0 {
		return r, nil
	}
	var err error
	r.rules, err = b.workspace(scope)
	return r, err
}

// Open opens a file that the rules allow to be read. Nobody is asked for an expression, so a rule
// that asks is a denial.
func (r reading) Open(path string) (*os.File, error) {
	if err := r.refused(path); err != nil {
		return nil, err
	}
	if r.isFree(path) {
		return paths.OpenRegular(path)
	}
	switch d := r.rules.policy.Reads(path); {
	case d.Verdict == permission.Allow:
	case r.ruled:
		return nil, fmt.Errorf("%s: %s (the read rules apply, because a model may have named the path)", path, d.Reason)
	default:
		return nil, fmt.Errorf("%s: the caller's rules don't let a fetched recipe read it: %s", path, d.Reason)
	}
	return r.rules.files.Open(path)
}

func (r reading) Readable(path string) bool {
	return r.refused(path) == nil && (r.isFree(path) || r.rules.policy.Readable(path))
}

// isFree reports whether no rules are about a file: those of the workflows around a recipe are not
// about the files of its own folder, except for a workspace in it.
func (r reading) isFree(path string) bool {
	if r.rules == nil {
		return true
	}
	own, path := realPath(r.scope.Workflow.Dir), realPath(path)
	if r.ruled || !paths.Holds(own, path) {
		return false
	}
	return !slices.ContainsFunc(r.scope.Layers, func(l runner.Layer) bool {
		around := realPath(l.Workspace)
		return around != own && paths.Holds(own, around) && paths.Holds(around, path)
	})
}

// refused keeps files with secrets from the expressions of workflows from elsewhere, also under
// another name. A file with several names (hard links) is refused, since one of them may be
// that of a secret.
func (r reading) refused(path string) error {
	if !r.foreign[r.scope.Workflow] {
		return nil
	}
	real := realPath(path)
	if permission.IsSecret(path) || permission.IsSecret(real) {
		return fmt.Errorf("%s: a fetched recipe can't read secret files", path)
	}
	if r.isRecord(real) {
		return fmt.Errorf("%s: a fetched recipe can't read records of runs", path)
	}
	if info, err := os.Stat(path); err == nil && permission.HasOtherNames(info) {
		return fmt.Errorf("%s: a fetched recipe can't read files with several hard links, since one may be a secret file", path)
	}
	return nil
}

// isRecord reports whether a path is in the folder of this run, except its outputs, or of one
// beside it, where the journal has what all steps said.
func (r reading) isRecord(path string) bool {
	return paths.AnyHolds(r.records, path) && !paths.Holds(filepath.Join(realPath(r.options.Dir), "outputs"), path)
}
