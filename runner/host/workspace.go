package host

import (
	"fmt"
	"maps"
	"path/filepath"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// names returns what the expressions of a workflow see before anything has run. They can't read
// files.
func (env Environment) names(w *workflows.Workflow, inputs map[string]any) workflows.Env {
	variables := map[string]any{}
	for _, name := range env.expand(w.Env.Names) {
		variables[name] = nil
		if value, ok := env.ofWorkflow(name); ok {
			variables[name] = value
		}
	}
	dir, err := filepath.Abs(w.Dir)
	if err != nil {
		dir = w.Dir
	}
	names := workflows.Env{
		"inputs": inputs, "env": variables,
		"run":      map[string]any{"id": "", "dir": ""},
		"workflow": map[string]any{"name": w.Name, "dir": dir},
	}
	given := maps.Clone(variables)
	for _, g := range w.Env.Given {
		if value, set, err := g.Eval(names); err == nil && set { // otherwise it depends on something that is not known yet
			given[g.Name] = value
		} else if _, known := given[g.Name]; !known {
			given[g.Name] = nil
		}
	}
	names["env"] = given
	return names
}

// defaults returns the default inputs of a workflow.
func defaults(w *workflows.Workflow) map[string]any {
	values := map[string]any{}
	for _, in := range w.Inputs {
		values[in.Name] = in.Default
	}
	return values
}

// workspaceOf returns the folder in which a workflow works.
func (env Environment) workspaceOf(w *workflows.Workflow, inputs map[string]any, start string) (string, error) {
	path := start
	if w.Workspace != nil {
		text, err := w.Workspace.Text(env.names(w, inputs))
		if err != nil {
			return "", &steps.Error{Kind: steps.KindInvalidInput, Message: fmt.Sprintf("workspace: %v", err), Option: runner.OptionWorkspace, Err: err}
		}
		path = paths.In(start, text)
	}
	return filepath.Clean(path), nil
}

// workspaceFor returns the folder in which the workflow works, absolute: a given one, or its own. That
// its own depends on an input without a value is an error.
func (l *Loaded) workspaceFor(given string, inputs map[string]any) (string, error) {
	start, err := StartFolder()
	if err != nil || given != "" {
		return paths.In(start, given), err
	}
	for _, in := range l.Inputs {
		if in.Required && inputs[in.Name] == nil && l.Workspace != nil && l.Workspace.Mentions("inputs") {
			return "", &steps.Error{
				Kind: steps.KindInvalidInput, Message: fmt.Sprintf("the workspace of the workflow may depend on the input %q, which has no value", in.Name),
				Hint: "give it with -i " + in.Name + "=…", Option: runner.OptionWorkspace,
			}
		}
	}
	return l.env.workspaceOf(l.Workflow, inputs, start)
}
