package host

import (
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// lentTo is a workflow with what its caller lends it. Another caller may lend it the same.
type lentTo struct {
	w       *workflows.Workflow
	model   *workflows.Value
	limited bool
}

// eachAgent visits the agents of a workflow and of those that it uses, once for all callers that lend
// the same.
func eachAgent(top *runner.Linked, visit func(at *runner.Linked, step *workflows.Step)) {
	seen := map[lentTo]bool{}
	var within func(at *runner.Linked)
	within = func(at *runner.Linked) {
		lent, _ := at.Names(&workflows.Agent{})
		key := lentTo{at.Workflow, lent.At, at.LimitsCost()}
		if seen[key] {
			return
		}
		seen[key] = true
		for _, step := range workflows.Leaves(at.Workflow.Steps) {
			switch {
			case step.Agent != nil:
				visit(at, step)
			case step.Use != nil:
				within(at.Uses(step.Use.Workflow))
			}
		}
	}
	within(top)
}
