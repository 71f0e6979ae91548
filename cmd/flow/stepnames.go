package main

import (
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/nearest"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A found step is one that a path names, with the layers of rules around it.
type foundStep struct {
	step     *workflows.Step
	workflow *workflows.Workflow
	layers   []runner.Layer
}

// findStep looks a step up by its path: pages, group/inner, or a step of a
// used workflow behind the step that uses it.
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
	at.layers = append(at.layers, runner.Layer{Workflow: at.workflow, Step: ownRules(at.step)})
	return at, nil
}

// unknownStep names the step that is nearest, or all that are there.
func unknownStep(path string, known []string) error {
	hint := "the steps here are " + strings.Join(known, ", ")
	if len(known) == 0 {
		hint = "there are no steps inside of this one"
	}
	if near := nearest.Of(path, known); near != "" {
		hint = `did you mean "` + near + `"?`
	}
	return usage(hint, "no step %q", path)
}

// ownRules are the rules of a step itself.
func ownRules(step *workflows.Step) workflows.Permissions {
	switch {
	case step.Agent != nil:
		return step.Agent.Permissions
	case step.Call != nil:
		return step.Call.Permissions
	case step.Use != nil:
		return step.Use.Permissions
	}
	return nil
}

// toolNames are the tools that a step offers or calls.
func toolNames(step *workflows.Step) []string {
	names := []string{}
	switch {
	case step.Agent != nil:
		for _, entry := range step.Agent.Tools {
			names = append(names, entry.Name)
		}
	case step.Call != nil:
		names = append(names, step.Call.Tool)
	}
	return names
}
