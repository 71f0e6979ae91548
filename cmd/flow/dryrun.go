package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/view"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// dryRun prints what a run would do. It finds the models, so that a wrong one
// is told, and asks none.
func (s *session) dryRun(ctx context.Context) error {
	top := s.host.Linked()
	if s.flags.output.value == outputJSON {
		return s.dryRunJSON(ctx, top)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "workflow: %s (%s)\nworkspace: %s\n", s.workflow.Name, s.workflow.File, top.Workspace())
	if limits := budgetText(s.workflow.Budget, s.flags.budget.usd); limits != "" {
		fmt.Fprintf(&b, "budget: %s\n", limits)
	}
	plan := planner{&b}
	if err := plan.workflow(top, "", 0); err != nil {
		return err
	}
	text := s.mask.String(b.String())
	return s.print(ctx, term.VisibleLines(text))
}

// budgetText lists the bounds of the whole run; the command line's goes before
// the workflow's.
func budgetText(budget workflows.Budget, flag *float64) string {
	var limits []string
	switch {
	case flag != nil:
		limits = append(limits, view.Dollars(*flag))
	case budget.CostUSD > 0:
		limits = append(limits, view.Dollars(budget.CostUSD))
	}
	if budget.Tokens > 0 {
		limits = append(limits, tools.Count(budget.Tokens, "token"))
	}
	if budget.Time > 0 {
		limits = append(limits, budget.Time.String())
	}
	return strings.Join(limits, ", ")
}

// A planner writes a workflow's plan.
type planner struct{ w io.Writer }

// workflow writes the steps of a workflow that stands under the given path.
func (p planner) workflow(at *runner.Linked, around string, depth int) error {
	if rules := rulesText(at.Workflow.Permissions); rules != "" {
		p.line(depth, "permissions: %s", rules)
	}
	return p.steps(at, at.Workflow.Steps, around, depth)
}

func (p planner) steps(at *runner.Linked, steps []*workflows.Step, around string, depth int) error {
	for i, step := range steps {
		p.line(depth, "%s%s: %s", around, step.Name, headline(step, steps, i))
		if err := p.inside(at, step, around+step.Name+"/", depth+1); err != nil {
			return err
		}
	}
	return nil
}

// headline is a step's kind, and when and how often it runs.
func headline(step *workflows.Step, siblings []*workflows.Step, at int) string {
	text := string(step.Kind)
	if step.Foreach != nil {
		text += fmt.Sprintf(", for each %s, %d at once", step.As, step.MaxParallel)
	}
	if step.If != nil {
		text += ", if " + step.If.Source()
	}
	switch {
	case len(step.Needs) == 0 && at > 0:
		text += ", starts at once"
	case len(step.Needs) > 0:
		var names []string
		for _, n := range step.Needs {
			names = append(names, siblings[n].Name)
		}
		text += ", after " + strings.Join(names, ", ")
	}
	if step.Timeout > 0 {
		text += ", at most " + step.Timeout.String()
	}
	return text
}

// inside writes what a step does, under its headline.
func (p planner) inside(at *runner.Linked, step *workflows.Step, around string, depth int) error {
	switch {
	case step.Group != nil:
		if until := step.Group.Until; until != nil {
			p.line(depth, "until: %s, at most %d rounds", until.Source(), step.Group.MaxRounds)
		}
		return p.steps(at, step.Group.Steps, around, depth)
	case step.Use != nil:
		p.line(depth, "uses: %s", step.Use.Workflow.File)
		if rules := rulesText(step.Use.Permissions); rules != "" {
			p.line(depth, "permissions of the step: %s", rules)
		}
		return p.workflow(at.Uses(step.Use.Workflow), around, depth)
	case step.Command != nil:
		p.line(depth, "command: %s", strings.ReplaceAll(strings.TrimSpace(step.Command.Script.Source()), "\n", "; "))
	case step.Call != nil:
		p.line(depth, "tool: %s", step.Call.Tool)
		p.rules(step.Call.Permissions, depth)
	case step.Agent != nil:
		return p.agent(at, step.Agent, depth)
	}
	return nil
}

// agent writes whom an agent asks, with which tools, under which rules, and when
// it is stopped.
func (p planner) agent(at *runner.Linked, a *workflows.Agent, depth int) error {
	refs, err := at.Models(a)
	if err != nil {
		return err
	}
	p.line(depth, "model: %s", cmp.Or(strings.Join(refs, ", then "), "known only when the step runs"))
	var names []string
	for _, entry := range a.Tools {
		names = append(names, entry.Name)
	}
	if len(names) == 0 {
		names = []string{"none"}
	}
	p.line(depth, "tools: %s", strings.Join(names, ", "))
	p.rules(a.Permissions, depth)
	p.line(depth, "stop: %s", stopText(a.Stop))
	return nil
}

func (p planner) rules(rules workflows.Permissions, depth int) {
	if text := rulesText(rules); text != "" {
		p.line(depth, "permissions of the step: %s", text)
	}
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

// rulesText lists rules on one line, sorted, for their order means nothing.
func rulesText(rules workflows.Permissions) string {
	var parts []string
	for _, tool := range slices.Sorted(maps.Keys(rules)) {
		var list []string
		for _, r := range rules[tool] {
			list = append(list, fmt.Sprintf("%s %s", r.Decision, r.Pattern))
		}
		parts = append(parts, tool+": "+strings.Join(list, ", "))
	}
	return strings.Join(parts, "; ")
}

// line writes one line: text of the file that has several is joined.
func (p planner) line(depth int, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	fmt.Fprintf(p.w, "%s%s\n", strings.Repeat("  ", depth), strings.ReplaceAll(text, "\n", " "))
}
