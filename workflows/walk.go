package workflows

import (
	"iter"
	"slices"

	"github.com/a-seed-11b9befa/flow/workflows/internal/expression"
)

// Used returns the workflow and all those that it uses, at any depth, each once;
// the workflow itself is the first.
func (w *Workflow) Used() []*Workflow {
	all := []*Workflow{w}
	for i := 0; i < len(all); i++ {
		for _, step := range Leaves(all[i].Steps) {
			if step.Use != nil && !slices.Contains(all, step.Use.Workflow) {
				all = append(all, step.Use.Workflow)
			}
		}
	}
	return all
}

// Leaves returns the steps that are no groups, also those in groups and those that a call of a tool
// runs, in the order of the file. It does not look into used workflows.
func Leaves(steps []*Step) []*Step {
	return slices.DeleteFunc(everyStep(steps), func(s *Step) bool { return s.Group != nil })
}

// everyStep returns the steps, each group before those in it, and each agent before the workflows that it
// offers as tools.
func everyStep(steps []*Step) []*Step {
	var all []*Step
	for _, step := range steps {
		switch all = append(all, step); {
		case step.Group != nil:
			all = append(all, everyStep(step.Group.Steps)...)
		case step.Agent != nil:
			all = append(all, step.Agent.workflows()...)
		}
	}
	return all
}

// dropUnread removes from a workflow with mistakes, and from those that it uses, the steps of which
// nothing is known that they could do.
func (w *Workflow) dropUnread(done map[*Workflow]bool) {
	if !done[w] {
		done[w] = true
		w.Steps = readSteps(w.Steps, done)
	}
}

func readSteps(steps []*Step, done map[*Workflow]bool) []*Step {
	return slices.DeleteFunc(steps, func(s *Step) bool {
		switch {
		case s.Group != nil:
			s.Group.Steps = readSteps(s.Group.Steps, done)
		case s.Use != nil && s.Use.Workflow != nil:
			s.Use.Workflow.dropUnread(done)
		case s.End != nil:
		default:
			return s.Agent == nil && s.Call == nil && (s.Question == nil || s.Question.Text == nil) && (s.Command == nil || s.Command.Script == nil)
		}
		return false
	})
}

// Inside returns the steps in the step: those of a group, of the workflow that it uses, or that calls of
// an agent's tools run.
func (s *Step) Inside() []*Step {
	switch {
	case s.Agent != nil:
		return s.Agent.workflows()
	case s.Group != nil:
		return s.Group.Steps
	case s.Use != nil:
		return s.Use.Workflow.Steps
	}
	return nil
}

// Outputs returns what the step returns, if it is a group or uses a workflow, in the file's order.
func (s *Step) Outputs() []Output {
	switch {
	case s.Group != nil:
		return s.Group.Outputs
	case s.Use != nil:
		return s.Use.Workflow.Outputs
	}
	return nil
}

// Paths yields the steps by their paths in units, such as "pages/review", in the order of
// the file, each before those in it, also those of used workflows. There can be very many,
// since each step that uses a workflow has its steps again.
func (w *Workflow) Paths() iter.Seq2[string, *Step] {
	return func(yield func(string, *Step) bool) { yieldPaths(w.Steps, "", yield) }
}

func yieldPaths(steps []*Step, around string, yield func(string, *Step) bool) bool {
	for _, step := range steps {
		if at := around + step.Name; !yield(at, step) || !yieldPaths(step.Inside(), at+"/", yield) {
			return false
		}
	}
	return true
}

// UsesAlways reports whether a step of the workflow itself calls always().
func (w *Workflow) UsesAlways() bool {
	return slices.ContainsFunc(everyStep(w.Steps), func(s *Step) bool { return s.If.UsesAlways() })
}

// Works reports whether the step does something itself, rather than by steps in it.
func (s *Step) Works() bool { return s.Group == nil && s.Use == nil && s.End == nil }

// Repeats reports whether the step is a group with rounds.
func (s *Step) Repeats() bool { return s.Group != nil && s.Group.Until != nil }

// RuleSets returns sets of permissions, each of which has to allow a call together with
// those of the workflow: the agent's and the step's own where a step takes an agent and
// narrows its rules, else one.
func (s *Step) RuleSets() []Permissions {
	if s.OfferedBy != nil {
		return s.OfferedBy.RuleSets()
	}
	if s.Agent != nil && s.Agent.Bounds != nil {
		return []Permissions{s.Agent.Bounds, s.Permissions}
	}
	return []Permissions{s.Permissions}
}

// ToolNames returns the tools that the step offers its model, or the one that it calls:
// names, and patterns such as github_*. It is never nil.
func (s *Step) ToolNames() []string {
	names := []string{}
	switch {
	case s.Agent != nil:
		for _, entry := range s.Agent.Tools {
			names = append(names, entry.Name)
		}
	case s.Call != nil:
		names = append(names, s.Call.Tool)
	}
	return names
}

// NamedVariables returns the environment variables, and patterns of them, that the file
// and its steps name, sorted, each once.
func (w *Workflow) NamedVariables() []string {
	names := slices.Clone(w.Env.Names)
	for _, step := range everyStep(w.Steps) {
		names = append(names, step.Env.Names...)
	}
	return merged(names)
}

// NamedModels returns the values that name the models of the workflow and of its steps, each once.
func (w *Workflow) NamedModels() []*Value {
	var all []*Value
	seen := map[*Value]bool{nil: true}
	add := func(v *Value) {
		if !seen[v] {
			seen[v] = true
			all = append(all, v)
		}
	}
	add(w.Model)
	for _, step := range everyStep(w.Steps) {
		if step.Agent != nil {
			add(step.Agent.Model)
		}
	}
	return all
}

// StopReasons returns the values of a step's stop_reason.
func StopReasons() []string { return expression.StopReasons() }
