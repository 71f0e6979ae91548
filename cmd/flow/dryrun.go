package main

import (
	"context"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/runner/view"
	"github.com/a-seed-11b9befa/flow/tools"
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
	When        string           `json:"when,omitempty"`
	MaxParallel int              `json:"max_parallel,omitempty"`
	Needs       []string         `json:"needs,omitempty"`
	Timeout     string           `json:"timeout,omitempty"`
	Workspace   string           `json:"workspace,omitempty"` // of its own, as the file has it
	Env         []string         `json:"env,omitempty"`       // of its own: the variables that it names and gives
	Run         string           `json:"run,omitempty"`
	Uses        *plannedWorkflow `json:"uses,omitempty"`
	Asks        []string         `json:"asks,omitempty"`  // what a used workflow wants of the machine
	Agent       string           `json:"agent,omitempty"` // whose settings it takes
	Models      []string         `json:"models,omitempty"`
	Tools       []string         `json:"tools,omitempty"`
	Permissions plannedRules     `json:"permissions,omitempty"`
	Stop        string           `json:"stop,omitempty"`
	Until       string           `json:"until,omitempty"`
	MaxRounds   int              `json:"max_rounds,omitempty"`
	Steps       []plannedStep    `json:"steps,omitempty"`

	as string // what a foreach calls its element
}

// dryRun prints what a run would do. The models are found, and none is asked.
func (s *session) dryRun(ctx context.Context) error {
	top := s.host.Linked()
	steps, err := planSteps(top, s.workflow.Steps, "")
	if err != nil {
		return err
	}
	plan := dryPlan{
		Version: 1, Workflow: planOf(s.workflow), Workspace: top.Workspace(), Steps: steps,
		Budget: planBudget(s.workflow.Budget, s.flags.budget.usd),
	}
	if s.flags.output.value != outputJSON {
		return s.print(ctx, term.VisibleLines(s.mask.String(plan.text())))
	}
	var b strings.Builder
	inner := program{stdout: &b}
	if err := inner.printJSON(plan); err != nil {
		return err
	}
	return s.print(ctx, s.mask.String(b.String()))
}

// planBudget has the bounds of the whole run; the command line's goes before the
// workflow's.
func planBudget(budget workflows.Budget, flag *float64) plannedBudget {
	planned := plannedBudget{CostUSD: flag, Tokens: budget.Tokens}
	if flag == nil && budget.CostUSD > 0 {
		planned.CostUSD = &budget.CostUSD
	}
	if budget.Time > 0 {
		planned.Time = budget.Time.String()
	}
	return planned
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
			one.Foreach, one.MaxParallel, one.as = true, step.MaxParallel, step.As
		}
		if step.When != nil {
			one.When = step.When.Source()
		}
		for _, n := range step.Needs {
			one.Needs = append(one.Needs, around+list[n].Name)
		}
		if step.Timeout > 0 {
			one.Timeout = step.Timeout.String()
		}
		if step.Workspace != nil {
			one.Workspace = step.Workspace.Source()
		}
		one.Env = slices.Clone(step.Env.Names)
		for _, given := range step.Env.Given {
			one.Env = append(one.Env, given.Name)
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
		plan.Uses, plan.Asks = &uses, host.Asks(inner)
		plan.Steps, err = planSteps(at.Uses(inner), inner.Steps, plan.Step+"/")
	case step.Command != nil:
		plan.Run = step.Command.Script.Source()
	case step.Agent != nil:
		plan.Stop, plan.Agent = stopText(step.Agent.Stop), step.Agent.Takes
		plan.Models, err = at.Models(step.Agent)
	}
	return err
}

// stopText lists what ends an agent; a bound that is not set is left out.
func stopText(s workflows.Stop) string {
	parts := []string{tools.Count(s.MaxTurns, "turn")}
	if s.MaxToolCalls > 0 {
		parts = append(parts, tools.Count(s.MaxToolCalls, "call"))
	}
	if s.MaxTokens > 0 {
		parts = append(parts, tools.Count(s.MaxTokens, "token"))
	}
	if s.MaxCostUSD > 0 {
		parts = append(parts, view.Dollars(s.MaxCostUSD))
	}
	if s.Timeout > 0 {
		parts = append(parts, s.Timeout.String())
	}
	if s.When != nil {
		parts = append(parts, "when "+s.When.Source())
	}
	return strings.Join(parts, ", ")
}
