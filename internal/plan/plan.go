// Package plan says what a run would do, what it may do, and what it can cost, before anything runs.
//
//	p, err := plan.Of(h)
//	if err != nil {
//		return err
//	}
//	fmt.Println(p.Cost)
//
// A plan is a tree of steps, from which text (package internal/report), JSON, and the graphs of this
// package are made. What is not known before the run is absent.
package plan

import (
	"cmp"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/authority"
	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A Plan is the plan of a run.
type Plan struct {
	Version   int                 `json:"version"`
	Workflow  Workflow            `json:"workflow"`
	Workspace string              `json:"workspace"`
	Cost      Cost                `json:"cost"`
	Likely    *Likely             `json:"likely,omitempty"`
	Steps     []*Step             `json:"steps"`
	Authority authority.Authority `json:"authority"`
	Writes    []string            `json:"writes,omitempty"` // patterns of files that tools may write, or ask to

	file string // of the workflow
}

// A Workflow is one that runs, or is used.
type Workflow struct {
	Name   string `json:"name"`
	File   string `json:"file"`
	Budget Budget `json:"budget,omitzero"`
}

// A Step is a step with those inside it. Its cost is that of each time that the list runs in which it
// stands, with all of its elements, rounds and attempts.
type Step struct {
	Step        string            `json:"step"` // its path
	Kind        string            `json:"kind"`
	If          string            `json:"if,omitempty"`
	Foreach     bool              `json:"foreach,omitempty"`
	As          string            `json:"as,omitempty"`       // the name of an element
	Elements    *int              `json:"elements,omitempty"` // nil: not known
	When        string            `json:"when,omitempty"`
	MaxParallel int               `json:"max_parallel,omitempty"`
	Needs       []string          `json:"needs,omitempty"` // the steps that it waits for
	Attempts    int               `json:"attempts,omitempty"`
	Timeout     string            `json:"timeout,omitempty"`
	Workspace   string            `json:"workspace,omitempty"` // its own, as written in the file
	Env         []string          `json:"env,omitempty"`       // the variables that it names and gives values
	Run         string            `json:"run,omitempty"`
	With        map[string]string `json:"with,omitempty"`    // the arguments of a call, as written in the file
	Ask         string            `json:"ask,omitempty"`     // the question, as written in the file
	Choices     []string          `json:"choices,omitempty"` // of the question
	Comment     bool              `json:"comment,omitempty"` // a line of text is asked for with the answer
	Uses        *Workflow         `json:"uses,omitempty"`
	Called      bool              `json:"called,omitempty"` // it is a tool of the agent around it
	MaxCalls    int               `json:"max_calls,omitempty"`
	Asks        []string          `json:"asks,omitempty"`  // what a used workflow needs from the machine
	Agent       string            `json:"agent,omitempty"` // whose settings it takes
	Models      []Model           `json:"models,omitempty"`
	Tools       []string          `json:"tools,omitempty"`
	Rules       []string          `json:"rules,omitempty"`  // in force for its tools, but for those of callers: "bash: allow git log *"
	Bounds      []string          `json:"bounds,omitempty"` // rules of the agent that it takes, which have to allow a call, too
	Stop        string            `json:"stop,omitempty"`
	Until       string            `json:"until,omitempty"`
	MaxRounds   int               `json:"max_rounds,omitempty"`
	Budget      Budget            `json:"budget,omitzero"` // of all that is inside it
	Cost        *Cost             `json:"cost,omitempty"`  // nil: it asks no model
	Likely      *Likely           `json:"likely,omitempty"`
	Steps       []*Step           `json:"steps,omitempty"`
}

// A Model is one that a step asks: the first, or the next one where that is not available.
type Model struct {
	Model   string   `json:"model"`
	Context int64    `json:"context,omitempty"` // tokens; 0: not known
	Output  int64    `json:"output,omitempty"`  // the most tokens of an answer; 0: not known
	Lacks   []string `json:"lacks,omitempty"`   // what the step asks for and it can't do, and what is done instead
}

// Of returns the plan of an opened workflow, with what earlier runs of it below the folder have cost.
func Of(h *host.Host, runs string) (*Plan, error) {
	p := &planner{host: h}
	top, w := h.Linked(), h.Linked().Workflow
	all, sum, err := p.list(top, w.Steps, "", nil)
	if err != nil {
		return nil, err
	}
	sum.limit(top.Budget(), min(sum.parallel, top.MaxParallel()))
	plan := &Plan{
		Version: 1, Workflow: Workflow{w.Name, w.Shown, budgetOf(top.Budget())}, Workspace: top.Workspace(),
		Cost: sum.cost(), Steps: all, Authority: authority.Of(w), file: w.File,
	}
	plan.writes(all)
	plan.learn(runs)
	return plan, nil
}

// A planner goes through the steps of a workflow, and of those that it uses.
type planner struct{ host *host.Host }

// list returns the steps of a list that is under the given path, in the elements of that name.
func (p *planner) list(at *runner.Linked, list []*workflows.Step, around string, elements []string) (all []*Step, sum tally, err error) {
	var each []tally
	for _, step := range list {
		one := stepOf(at, step, list, around)
		t, err := p.inside(one, at, step, elements)
		if err != nil {
			return nil, sum, err
		}
		t.times(max(step.Retry.MaxAttempts, 1), "attempt") // a tool has none
		if step.Foreach != nil {
			if n, known := at.Elements(step, elements); known {
				one.Elements = &n
			}
			t.foreach(one)
		}
		t.limit(step.Budget, min(t.parallel, at.MaxParallel()))
		if t.asks {
			one.Cost = new(t.cost())
		}
		all, each = append(all, one), append(each, t)
	}
	return all, together(list, each), nil
}

// stepOf returns what the file says of a step, whatever its kind.
func stepOf(at *runner.Linked, step *workflows.Step, list []*workflows.Step, around string) *Step {
	one := &Step{Step: around + step.Name, Kind: string(step.Kind), Budget: budgetOf(step.Budget), Tools: step.ToolNames(), Called: step.OfferedBy != nil}
	if step.If != nil {
		one.If = step.If.Source()
	}
	if step.Foreach != nil {
		one.Foreach, one.MaxParallel, one.As = true, step.MaxParallel, step.As
	}
	if step.When != nil {
		one.When = step.When.Source()
	}
	for _, n := range step.Needs {
		one.Needs = append(one.Needs, around+list[n].Name)
	}
	if step.Retry.MaxAttempts > 1 {
		one.Attempts = step.Retry.MaxAttempts
	}
	if step.Timeout > 0 {
		one.Timeout = quantity.Time(step.Timeout)
	}
	if step.Workspace != nil {
		one.Workspace = step.Workspace.Source()
	}
	one.Env = slices.Clone(step.Env.Names)
	for _, given := range step.Env.Given {
		one.Env = append(one.Env, given.Name)
	}
	if len(one.Tools) > 0 || step.Use != nil {
		one.Rules, one.Bounds = authority.RulesOf(at.Workflow, step, at.Pattern)
	}
	return one
}

// inside adds what the step does each time, and returns what that can cost.
func (p *planner) inside(plan *Step, at *runner.Linked, step *workflows.Step, elements []string) (t tally, err error) {
	if step.Foreach != nil {
		elements = append(slices.Clip(elements), step.As)
	}
	switch {
	case step.Group != nil:
		plan.Steps, t, err = p.list(at, step.Group.Steps, plan.Step+"/", elements)
		if step.Group.Until != nil {
			plan.Until, plan.MaxRounds = step.Group.Until.Source(), step.Group.MaxRounds
			t.times(plan.MaxRounds, "round")
		}
	case step.Use != nil:
		inner := at.Uses(step.Use.Workflow)
		plan.Uses, plan.Asks = &Workflow{inner.Workflow.Name, inner.Workflow.Shown, budgetOf(inner.Budget())}, host.Asks(inner.Workflow)
		plan.Steps, t, err = p.list(inner, inner.Workflow.Steps, plan.Step+"/", nil)
		t.limit(inner.Budget(), min(t.parallel, at.MaxParallel()))
	case step.Command != nil:
		plan.Run = step.Command.Script.Source()
	case step.Call != nil:
		plan.With = map[string]string{}
		for name, value := range step.With {
			plan.With[name] = value.Source()
		}
	case step.Question != nil:
		plan.Ask, plan.Choices, plan.Comment = step.Question.Text.Source(), step.Question.Choices, step.Question.Comment
	case step.Agent != nil:
		plan.Stop, plan.Agent = authority.StopsAfter(step.Agent.Stop), step.Agent.Takes
		if when := step.Agent.Stop.When; when != nil {
			plan.Stop += ", when " + when.Source()
		}
		t, err = p.agent(plan, at, step)
	}
	return t, err
}

// agent adds the models of a step, and returns what one attempt of it can cost.
func (p *planner) agent(plan *Step, at *runner.Linked, step *workflows.Step) (tally, error) {
	named, err := at.Names(step.Agent)
	if err != nil {
		return tally{}, err
	}
	c := conversationOf(step)
	if len(named.Refs) == 0 {
		c.unbounded = []string{"which model is asked is not known before the step runs"}
	}
	for _, ref := range named.Refs {
		facts := p.host.Facts(ref, step, named)
		model := Model{Model: ref, Context: facts.Context, Output: facts.Output}
		for _, s := range facts.Shortfalls {
			model.Lacks = append(model.Lacks, s.Key+": "+s.Message+"; "+s.Instead)
		}
		plan.Models = append(plan.Models, model)
		c.add(at, ref, facts)
	}
	t := c.most(step.Agent.Stop)
	for _, tool := range step.Agent.Tools {
		if tool.Runs == nil {
			continue
		}
		inside, called, err := p.list(at, []*workflows.Step{tool.Runs}, plan.Step+"/", nil)
		if err != nil {
			return t, err
		}
		inside[0].MaxCalls = tool.MaxCalls
		plan.Steps = append(plan.Steps, inside...)
		t.calls(called, tool.Name, cmp.Or(tool.MaxCalls, step.Agent.Stop.MaxToolCalls), at.MaxParallel())
	}
	return t, nil
}

// writes lists the patterns of the rules that let tools write files.
func (p *Plan) writes(all []*Step) {
	for _, step := range all {
		for _, rule := range step.Rules {
			for _, lets := range []string{"write: allow ", "write: ask "} {
				if pattern, does := strings.CutPrefix(rule, lets); does && len(step.Tools) > 0 && !slices.Contains(p.Writes, pattern) {
					p.Writes = append(p.Writes, pattern)
				}
			}
		}
		p.writes(step.Steps)
	}
}

// A Budget has the limits of a workflow, or of what is inside a step; one without a limit is absent.
type Budget struct {
	CostUSD *float64 `json:"cost_usd,omitempty"`
	Tokens  int64    `json:"tokens,omitempty"`
	Time    string   `json:"time,omitempty"`
	OnLimit string   `json:"on_limit,omitempty"` // "continue", of a step
}

func budgetOf(b workflows.Budget) Budget {
	budget := Budget{Tokens: b.Tokens}
	if b.GoesOn {
		budget.OnLimit = "continue"
	}
	if usd, limited := money(b); limited {
		budget.CostUSD = &usd
	}
	if b.Time > 0 {
		budget.Time = quantity.Time(b.Time)
	}
	return budget
}

// String lists the limits.
func (b Budget) String() string {
	var limits []string
	if b.CostUSD != nil {
		limits = append(limits, Dollars(*b.CostUSD))
	}
	if b.Tokens > 0 {
		limits = append(limits, quantity.Count(b.Tokens, "token"))
	}
	if b.Time != "" {
		limits = append(limits, b.Time)
	}
	if b.OnLimit != "" {
		limits = append(limits, "then "+b.OnLimit)
	}
	return strings.Join(limits, ", ")
}
