package main

import (
	"context"
	"strings"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A dryPlan is what --dry-run --output json prints.
type dryPlan struct {
	Version   int             `json:"version"`
	Workflow  plannedWorkflow `json:"workflow"`
	Workspace string          `json:"workspace"`
	Budget    plannedBudget   `json:"budget"`
	Steps     []plannedStep   `json:"steps"`
}

type plannedWorkflow struct {
	Name        string       `json:"name"`
	File        string       `json:"file"`
	Permissions plannedRules `json:"permissions,omitempty"`
}

// A plannedBudget leaves out what has no bound.
type plannedBudget struct {
	CostUSD *float64 `json:"cost_usd,omitempty"`
	Tokens  int64    `json:"tokens,omitempty"`
	Time    string   `json:"time,omitempty"`
}

// plannedRules are the rules of each tool, in the file's order.
type plannedRules map[string][]plannedRule

type plannedRule struct {
	Pattern  string `json:"pattern"`
	Decision string `json:"decision"`
}

// A plannedStep is a step with those inside of it. Only an agent has models and
// a stop; models that are known only when the step runs are absent.
type plannedStep struct {
	Step        string           `json:"step"` // its path
	Kind        string           `json:"kind"`
	If          string           `json:"if,omitempty"`
	Foreach     bool             `json:"foreach,omitempty"`
	MaxParallel int              `json:"max_parallel,omitempty"`
	Needs       []string         `json:"needs,omitempty"`
	Timeout     string           `json:"timeout,omitempty"`
	Run         string           `json:"run,omitempty"`
	Uses        *plannedWorkflow `json:"uses,omitempty"`
	Models      []string         `json:"models,omitempty"`
	Tools       []string         `json:"tools,omitempty"`
	Permissions plannedRules     `json:"permissions,omitempty"`
	Stop        string           `json:"stop,omitempty"`
	Until       string           `json:"until,omitempty"`
	MaxRounds   int              `json:"max_rounds,omitempty"`
	Steps       []plannedStep    `json:"steps,omitempty"`
}

// dryRunJSON prints the plan for a program.
func (s *session) dryRunJSON(ctx context.Context, top *runner.Linked) error {
	w := s.workflow
	steps, err := planSteps(top, w.Steps, "")
	if err != nil {
		return err
	}
	plan := dryPlan{Version: 1, Workflow: planOf(w), Workspace: top.Workspace(), Steps: steps, Budget: plannedBudget{CostUSD: s.flags.budget.usd, Tokens: w.Budget.Tokens}}
	if plan.Budget.CostUSD == nil && w.Budget.CostUSD > 0 {
		plan.Budget.CostUSD = &w.Budget.CostUSD
	}
	if w.Budget.Time > 0 {
		plan.Budget.Time = w.Budget.Time.String()
	}
	var b strings.Builder
	inner := program{stdout: &b}
	if err := inner.printJSON(plan); err != nil {
		return err
	}
	return s.print(ctx, s.mask.String(b.String()))
}

func planOf(w *workflows.Workflow) plannedWorkflow {
	return plannedWorkflow{Name: w.Name, File: w.File, Permissions: planRules(w.Permissions)}
}

func planRules(rules workflows.Permissions) plannedRules {
	planned := plannedRules{}
	for tool, list := range rules {
		planned[tool] = []plannedRule{}
		for _, r := range list {
			planned[tool] = append(planned[tool], plannedRule{Pattern: r.Pattern, Decision: string(r.Decision)})
		}
	}
	return planned
}

// planSteps are the steps of a workflow that stands under the given path.
func planSteps(at *runner.Linked, list []*workflows.Step, around string) ([]plannedStep, error) {
	var all []plannedStep
	for _, step := range list {
		one := plannedStep{Step: around + step.Name, Kind: string(step.Kind), Permissions: planRules(step.Rules())}
		if step.If != nil {
			one.If = step.If.Source()
		}
		if step.Foreach != nil {
			one.Foreach, one.MaxParallel = true, step.MaxParallel
		}
		for _, n := range step.Needs {
			one.Needs = append(one.Needs, around+list[n].Name)
		}
		if step.Timeout > 0 {
			one.Timeout = step.Timeout.String()
		}
		if err := planInside(&one, at, step); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// planInside says what the step does.
func planInside(plan *plannedStep, at *runner.Linked, step *workflows.Step) (err error) {
	plan.Tools = step.ToolNames()
	switch {
	case step.Group != nil:
		if step.Group.Until != nil {
			plan.Until, plan.MaxRounds = step.Group.Until.Source(), step.Group.MaxRounds
		}
		plan.Steps, err = planSteps(at, step.Group.Steps, plan.Step+"/")
	case step.Use != nil:
		inner := step.Use.Workflow
		uses := planOf(inner)
		plan.Uses = &uses
		plan.Steps, err = planSteps(at.Uses(inner), inner.Steps, plan.Step+"/")
	case step.Command != nil:
		plan.Run = step.Command.Script.Source()
	case step.Agent != nil:
		plan.Stop = stopText(step.Agent.Stop)
		plan.Models, err = at.Models(step.Agent)
	}
	return err
}
