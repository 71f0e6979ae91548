package main

import (
	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// link links a workflow with what a command line gives, as far as that is known.
// It works in a folder that exists; nothing is executed.
func (p *program) link(w *workflows.Workflow, g given, folder string) (*runner.Linked, error) {
	price, err := p.pricing(g.prices, w)
	if err != nil { // whoever reads the file tells that
		price = func(string, providers.Usage) (float64, bool) { return 0, true }
	}
	return runner.Link(runner.Options{
		Workflow: w, Inputs: g.values, Workspace: folder, Model: g.model, BudgetUSD: g.budget, Price: price, LookupEnv: p.lookup,
	})
}

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
	for _, step := range leaves(at.Workflow.Steps) {
		switch {
		case step.Agent != nil:
			a.visit(at, step)
		case step.Use != nil:
			a.workflow(at.Uses(step.Use.Workflow))
		}
	}
}
