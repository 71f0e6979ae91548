package runner

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A workEnv is where steps work: a folder, and variables of the environment. It is never modified.
type workEnv struct {
	workspace string
	tainted   bool              // a model may have influenced which folder that is
	env       map[string]any    // the variables as expressions see them; nil for one that is not set
	names     []string          // the names, and patterns, of variables that commands get
	given     map[string]string // variables to which the file gives values, for commands
}

// withNames returns the workEnv with more variables of the environment.
func (at *workEnv) withNames(names []string, o Options) *workEnv {
	if len(names) == 0 {
		return at
	}
	wider := *at
	wider.env = maps.Clone(at.env)
	wider.names = slices.Clip(at.names)
	for _, name := range names {
		if !slices.Contains(wider.names, name) {
			wider.names = append(wider.names, name)
		}
	}
	for _, name := range workflows.ExpandVariables(names, o.EnvNames) {
		if _, known := wider.env[name]; known {
			continue
		}
		wider.env[name] = nil
		if value, ok := o.LookupEnv(name); ok {
			wider.env[name] = value
		}
	}
	return &wider
}

// withValues returns the workEnv with variables to which the file gives values. Their expressions
// see the variables that are there already, but not each other.
func (at *workEnv) withValues(all []workflows.GivenVariable, names workflows.Env, o Options) (*workEnv, error) {
	if len(all) == 0 {
		return at, nil
	}
	wider := *at
	wider.env, wider.given = maps.Clone(at.env), maps.Clone(at.given)
	if wider.given == nil {
		wider.given = map[string]string{}
	}
	for _, g := range all {
		if o.InputsForeign && g.ByInputs() {
			return nil, mistake("env."+g.Name, errors.New("it changes what programs do, and a model may have chosen the inputs of this run"))
		}
		value, set, err := g.Eval(names)
		if err != nil {
			return nil, mistake("env."+g.Name, err)
		}
		if _, known := wider.env[g.Name]; !known {
			wider.env[g.Name] = nil
		}
		if !set {
			continue
		}
		if g.Secret {
			if err := o.Mask.Add(value); err != nil {
				return nil, mistake("env."+g.Name, err)
			}
		}
		wider.env[g.Name], wider.given[g.Name] = value, value
	}
	return &wider, nil
}

// commands returns the environment of commands.
func (e *exec) commands(names []string, given map[string]string) []string {
	return e.Environment(workflows.ExpandVariables(names, e.EnvNames), given)
}

// evalEnv returns the site with the step's own folder and variables, if it has any. Their
// expressions see the workEnv around it.
func (t *site) evalEnv(ctx context.Context) (*site, error) {
	if !t.hasOwnEnv() {
		return t, nil
	}
	at := t.at.withNames(t.step.Env.Names, t.exec.Options)
	at, err := at.withValues(t.step.Env.Given, t.inEnv(at).names(ctx, nil), t.exec.Options)
	if err != nil {
		return t, err
	}
	if t.step.Workspace != nil {
		around := *at
		around.tainted = t.worksForeign()
		path, err := t.step.Workspace.Text(t.names(ctx, nil))
		if err != nil {
			return t, mistake("workspace", err)
		}
		around.workspace = filepath.Clean(paths.In(at.workspace, path))
		if err := inside(around.workspace, at.workspace, "the workspace of the step", "the one around it"); err != nil {
			return t, err
		}
		at = &around
	}
	return t.inEnv(at), nil
}

// inEnv returns the site in another workEnv.
func (t *site) inEnv(at *workEnv) *site {
	own := new(*t)
	own.at = at
	return own
}

// hasOwnEnv reports whether the step has a workEnv of its own.
func (t *site) hasOwnEnv() bool { return t.step.Workspace != nil || !t.step.Env.None() }

// worksForeign reports whether a model may have influenced which folder the step works in.
func (t *site) worksForeign() bool {
	return t.at.tainted || t.step.Workspace != nil && t.in.rulesPath(t.step.Workspace.Words())
}

// recordedEnv is evalEnv for a step that continues: its workEnv is recorded, and not evaluated again.
func (t *site) recordedEnv(w *Work) (*site, error) {
	if !t.hasOwnEnv() {
		return t, nil
	}
	at := *t.at.withNames(w.Variables, t.exec.Options)
	at.workspace, at.env, at.given = filepath.Join(t.in.top().at.workspace, filepath.FromSlash(w.Folder)), maps.Clone(at.env), w.Given
	for name, value := range w.Given {
		at.env[name] = value
	}
	at.tainted = t.worksForeign()
	return t.inEnv(&at), inside(at.workspace, t.at.workspace, "the workspace of the step", "the one around it")
}

// inside returns an error if a workspace is no folder, or outside of the one that it has to
// be in, with links resolved.
func inside(workspace, around, what, whose string) error {
	if err := checkFolder(workspace); err != nil {
		return err
	}
	real, err := filepath.EvalSymlinks(workspace)
	if err == nil {
		around, err = filepath.EvalSymlinks(around)
	}
	if err != nil || !paths.Holds(around, real) {
		return &steps.Error{Kind: steps.KindDenied, Message: fmt.Sprintf("%s (%s) is outside of %s (%s)", what, workspace, whose, around)}
	}
	if kept := keptApart(strings.TrimPrefix(real, around)); kept != "" {
		return &steps.Error{Kind: steps.KindDenied, Message: fmt.Sprintf("%s (%s) is in %s, where no step may work", what, workspace, kept)}
	}
	return nil
}

// keptApart returns .git or .flow if that is in a path; "" otherwise. For a command that works
// in such a folder hooks/pre-push would be an ordinary path.
func keptApart(path string) string {
	for part := range strings.SplitSeq(path, string(filepath.Separator)) {
		if strings.EqualFold(part, ".git") || strings.EqualFold(part, ".flow") {
			return part
		}
	}
	return ""
}
