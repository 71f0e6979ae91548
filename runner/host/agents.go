package host

import (
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// An agentWalk goes through the agents of a workflow and of those that it uses.
type agentWalk struct {
	visit func(at *runner.Linked, step *workflows.Step)
	seen  map[lentTo]bool
}

// lentTo is a workflow, and what it has of its callers: a second one may lend the
// same.
type lentTo struct {
	w       *workflows.Workflow
	model   *workflows.Value
	limited bool
}

// eachAgent visits the agents of a workflow and of those that it uses, these once
// for all callers that lend them the same.
func eachAgent(top *runner.Linked, visit func(at *runner.Linked, step *workflows.Step)) {
	walk := agentWalk{visit: visit, seen: map[lentTo]bool{}}
	walk.workflow(top)
}

func (a *agentWalk) workflow(at *runner.Linked) {
	lent, _ := at.Names(&workflows.Agent{})
	key := lentTo{at.Workflow, lent.At, at.LimitsCost()}
	if a.seen[key] {
		return
	}
	a.seen[key] = true
	for _, step := range workflows.Leaves(at.Workflow.Steps) {
		switch {
		case step.Agent != nil:
			a.visit(at, step)
		case step.Use != nil:
			a.workflow(at.Uses(step.Use.Workflow))
		}
	}
}
