package host

import (
	"path"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/nearest"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A foundStep is a step with the layers of rules around it.
type foundStep struct {
	step     *workflows.Step
	workflow *workflows.Workflow
	layers   []runner.Layer
	folders  []inFolder // in which it works, outermost first
}

// An inFolder is the workspace of a step, or of a group around it, in its workflow.
type inFolder struct {
	workflow *workflows.Workflow
	path     *workflows.Template
}

// findStep returns the step with a path: pages, group/inner; in a used workflow it follows the
// step that uses it.
func (l *Loaded) findStep(path string) (foundStep, error) {
	at, list := foundStep{workflow: l.Workflow}, l.Steps
	names := strings.Split(path, "/")
	for i, name := range names {
		if at.step != nil && at.step.Use != nil {
			at.layers = append(at.layers, runner.Layer{Workflow: at.workflow, Step: at.step.Use.Permissions})
			at.workflow = at.step.Use.Workflow
		}
		next := slices.IndexFunc(list, func(step *workflows.Step) bool { return step.Name == name })
		if next < 0 {
			return at, unknownStep(names[:i], name, list)
		}
		at.step = list[next]
		list = at.step.Inside()
		if at.step.Workspace != nil {
			at.folders = append(at.folders, inFolder{at.workflow, at.step.Workspace})
		}
	}
	for _, rules := range at.step.RuleSets() {
		at.layers = append(at.layers, runner.Layer{Workflow: at.workflow, Step: rules})
	}
	return at, nil
}

// unknownStep returns the error for an unknown step, with the nearest one, or with all.
func unknownStep(around []string, name string, list []*workflows.Step) error {
	at := func(name string) string { return path.Join(append(slices.Clone(around), name)...) }
	var known []string
	for _, step := range list {
		known = append(known, at(step.Name))
	}
	hint := "the steps here are " + strings.Join(known, ", ")
	if len(known) == 0 {
		hint = "there are no steps inside of this one"
	}
	return steps.Invalid(nearest.Hint(at(name), known, hint), "no step %q", at(name))
}
