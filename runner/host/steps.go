package host

import (
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
func findStep(w *workflows.Workflow, path string) (foundStep, error) {
	var known []string
	at := foundStep{workflow: w}
	all := w.Steps
	names := strings.Split(path, "/")
	for i, name := range names {
		at.step, known = nil, known[:0]
		for _, step := range all {
			known = append(known, strings.Join(append(names[:i:i], step.Name), "/"))
			if step.Name == name {
				at.step = step
			}
		}
		if at.step == nil {
			return at, unknownStep(strings.Join(names[:i+1], "/"), known)
		}
		if at.step.Workspace != nil {
			at.folders = append(at.folders, inFolder{at.workflow, at.step.Workspace})
		}
		switch {
		case at.step.Group != nil:
			all = at.step.Group.Steps
		case at.step.Use != nil && i < len(names)-1:
			at.layers = append(at.layers, runner.Layer{Workflow: at.workflow, Step: at.step.Use.Permissions})
			at.workflow = at.step.Use.Workflow
			all = at.workflow.Steps
		default:
			all = nil
		}
	}
	for _, rules := range at.step.RuleSets() {
		at.layers = append(at.layers, runner.Layer{Workflow: at.workflow, Step: rules})
	}
	return at, nil
}

// unknownStep returns the error for an unknown step, with the nearest one, or with all.
func unknownStep(path string, known []string) error {
	hint := "the steps here are " + strings.Join(known, ", ")
	if len(known) == 0 {
		hint = "there are no steps inside of this one"
	}
	return steps.Invalid(nearest.Hint(path, known, hint), "no step %q", path)
}
