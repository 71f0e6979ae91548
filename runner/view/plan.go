package view

import (
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A Plan says what a run would do. What is not known before it runs is absent.
type Plan struct {
	Version   int             `json:"version"`
	Workflow  PlannedWorkflow `json:"workflow"`
	Workspace string          `json:"workspace"`
	Budget    PlannedBudget   `json:"budget"`
	Steps     []PlannedStep   `json:"steps"`
}

// A PlannedWorkflow is one that runs, or is used.
type PlannedWorkflow struct {
	Name        string       `json:"name"`
	File        string       `json:"file"`
	Permissions PlannedRules `json:"permissions,omitempty"`
}

// A PlannedBudget has the bounds of a run, or of what is inside a step; a field without a bound is absent.
type PlannedBudget struct {
	CostUSD *float64 `json:"cost_usd,omitempty"`
	Tokens  int64    `json:"tokens,omitempty"`
	Time    string   `json:"time,omitempty"`
	OnLimit string   `json:"on_limit,omitempty"` // "continue", of a step
}

// PlannedRules has the rules of each tool, in the file's order.
type PlannedRules map[string][]PlannedRule

// A PlannedRule decides calls that a pattern matches.
type PlannedRule struct {
	Pattern  string `json:"pattern"`
	Decision string `json:"decision"`
}

// A PlannedStep is a step with those inside it. Only an agent has models and a stop; models
// that are not known before the step runs are absent.
type PlannedStep struct {
	Step        string            `json:"step"` // its path
	Kind        string            `json:"kind"`
	If          string            `json:"if,omitempty"`
	Foreach     bool              `json:"foreach,omitempty"`
	When        string            `json:"when,omitempty"`
	MaxParallel int               `json:"max_parallel,omitempty"`
	Needs       []string          `json:"needs,omitempty"`
	Timeout     string            `json:"timeout,omitempty"`
	Budget      PlannedBudget     `json:"budget,omitzero"`
	Workspace   string            `json:"workspace,omitempty"` // its own, as written in the file
	Env         []string          `json:"env,omitempty"`       // the variables that it names and gives values
	Run         string            `json:"run,omitempty"`
	With        map[string]string `json:"with,omitempty"`    // the arguments of a call, as written in the file
	Ask         string            `json:"ask,omitempty"`     // the question, as written in the file
	Choices     []string          `json:"choices,omitempty"` // of the question
	Comment     bool              `json:"comment,omitempty"` // it asks for one
	Uses        *PlannedWorkflow  `json:"uses,omitempty"`
	Asks        []string          `json:"asks,omitempty"`  // what a used workflow needs from the machine
	Agent       string            `json:"agent,omitempty"` // whose settings it takes
	Models      []string          `json:"models,omitempty"`
	Tools       []string          `json:"tools,omitempty"`
	Permissions PlannedRules      `json:"permissions,omitempty"`
	Stop        string            `json:"stop,omitempty"`
	Until       string            `json:"until,omitempty"`
	MaxRounds   int               `json:"max_rounds,omitempty"`
	Steps       []PlannedStep     `json:"steps,omitempty"`

	as string // the name of a foreach's element
}

// NewPlan returns the plan of a linked workflow. asks lists what a used workflow needs from the
// machine. budgetUSD replaces the workflow's own budget, unless it is nil.
func NewPlan(top *runner.Linked, asks func(*workflows.Workflow) []string, budgetUSD *float64) (*Plan, error) {
	w := top.Workflow
	steps, err := (&planner{asks}).steps(top, w.Steps, "")
	if err != nil {
		return nil, err
	}
	return &Plan{Version: 1, Workflow: planOf(w), Workspace: top.Workspace(), Budget: planBudget(w.Budget, budgetUSD), Steps: steps}, nil
}

// A planner goes through the steps of a workflow, and of those that it uses.
type planner struct {
	asks func(*workflows.Workflow) []string
}

// planBudget returns the bounds of a run or a step; flag replaces the workflow's cost.
func planBudget(budget workflows.Budget, flag *float64) PlannedBudget {
	planned := PlannedBudget{CostUSD: flag, Tokens: budget.Tokens}
	if flag == nil && budget.CostUSD > 0 {
		planned.CostUSD = &budget.CostUSD
	}
	if budget.Time > 0 {
		planned.Time = budget.Time.String()
	}
	if budget.GoesOn {
		planned.OnLimit = "continue"
	}
	return planned
}

func planOf(w *workflows.Workflow) PlannedWorkflow {
	return PlannedWorkflow{Name: w.Name, File: w.Shown, Permissions: planRules(w.Permissions)}
}

func planRules(rules workflows.Permissions) PlannedRules {
	planned := PlannedRules{}
	for tool, list := range rules {
		planned[tool] = []PlannedRule{}
		for _, r := range list {
			planned[tool] = append(planned[tool], PlannedRule{Pattern: r.Pattern, Decision: string(r.Decision)})
		}
	}
	return planned
}

// steps returns the steps of a list that is under the given path.
func (p *planner) steps(at *runner.Linked, list []*workflows.Step, around string) ([]PlannedStep, error) {
	var all []PlannedStep
	for _, step := range list {
		one := PlannedStep{Step: around + step.Name, Kind: string(step.Kind), Budget: planBudget(step.Budget, nil), Permissions: planRules(step.Rules())}
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
		if err := p.inside(&one, at, step); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// inside adds what the step does.
func (p *planner) inside(plan *PlannedStep, at *runner.Linked, step *workflows.Step) (err error) {
	plan.Tools = step.ToolNames()
	switch {
	case step.Group != nil:
		if step.Group.Until != nil {
			plan.Until, plan.MaxRounds = step.Group.Until.Source(), step.Group.MaxRounds
		}
		plan.Steps, err = p.steps(at, step.Group.Steps, plan.Step+"/")
	case step.Use != nil:
		inner := step.Use.Workflow
		uses := planOf(inner)
		plan.Uses, plan.Asks = &uses, p.asks(inner)
		plan.Steps, err = p.steps(at.Uses(inner), inner.Steps, plan.Step+"/")
	case step.Command != nil:
		plan.Run = step.Command.Script.Source()
	case step.Call != nil:
		plan.With = map[string]string{}
		for name, value := range step.Call.With {
			plan.With[name] = value.Source()
		}
	case step.Question != nil:
		q := step.Question
		plan.Ask, plan.Choices, plan.Comment = q.Text.Source(), q.Choices, q.Comment
	case step.Agent != nil:
		plan.Stop, plan.Agent = stopText(step.Agent.Stop), step.Agent.Takes
		if plan.Models, err = at.Models(step.Agent); err == nil {
			plan.Steps, err = p.steps(at, step.Inside(), plan.Step+"/")
		}
	}
	return err
}

// stopText lists what stops an agent.
func stopText(s workflows.Stop) string {
	parts := []string{quantity.Count(s.MaxTurns, "turn")}
	if s.MaxToolCalls > 0 {
		parts = append(parts, quantity.Count(s.MaxToolCalls, "call"))
	}
	if s.MaxTokens > 0 {
		parts = append(parts, quantity.Count(s.MaxTokens, "token"))
	}
	if s.MaxCostUSD > 0 {
		parts = append(parts, quantity.Dollars(s.MaxCostUSD))
	}
	if s.Timeout > 0 {
		parts = append(parts, s.Timeout.String())
	}
	if s.When != nil {
		parts = append(parts, "when "+s.When.Source())
	}
	return strings.Join(parts, ", ")
}
