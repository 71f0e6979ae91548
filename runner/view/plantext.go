package view

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
)

// Text returns the plan for a person, on several lines, with texts of files as they are.
func (p *Plan) Text() string {
	w := &planWriter{}
	w.line(0, "workflow: %s (%s)", p.Workflow.Name, p.Workflow.File)
	w.line(0, "workspace: %s", p.Workspace)
	w.named(0, "budget", p.Budget.text())
	w.workflow(p.Workflow, p.Steps, 0)
	return w.String()
}

// text lists the bounds.
func (b PlannedBudget) text() string {
	var limits []string
	if b.CostUSD != nil {
		limits = append(limits, quantity.Dollars(*b.CostUSD))
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

// text lists rules on one line, sorted, since their order means nothing.
func (r PlannedRules) text() string {
	var parts []string
	for _, tool := range slices.Sorted(maps.Keys(r)) {
		var list []string
		for _, rule := range r[tool] {
			list = append(list, fmt.Sprintf("%s %s", rule.Decision, rule.Pattern))
		}
		parts = append(parts, tool+": "+strings.Join(list, ", "))
	}
	return strings.Join(parts, "; ")
}

// A planWriter writes a plan, with what is inside a step indented.
type planWriter struct{ strings.Builder }

func (w *planWriter) workflow(of PlannedWorkflow, steps []PlannedStep, depth int) {
	w.named(depth, "permissions", of.Permissions.text())
	w.steps(steps, depth)
}

func (w *planWriter) steps(steps []PlannedStep, depth int) {
	for i, step := range steps {
		w.line(depth, "%s: %s", step.Step, step.headline(i == 0))
		w.inside(step, depth+1)
	}
}

// headline returns a step's kind, and when and how often it runs.
func (s PlannedStep) headline(first bool) string {
	text := s.Kind
	if s.Foreach {
		text += fmt.Sprintf(", for each %s, %d at once", s.as, s.MaxParallel)
	}
	if s.When != "" {
		text += ", when " + s.When
	}
	if s.If != "" {
		text += ", if " + s.If
	}
	var after []string
	for _, need := range s.Needs {
		after = append(after, path.Base(need))
	}
	switch {
	case len(after) > 0:
		text += ", after " + strings.Join(after, ", ")
	case !first:
		text += ", starts at once"
	}
	if s.Timeout != "" {
		text += ", at most " + s.Timeout
	}
	return text
}

// inside writes what a step does: the models that an agent asks, its tools and their rules, and
// when it stops.
func (w *planWriter) inside(s PlannedStep, depth int) {
	if s.Until != "" {
		w.line(depth, "until: %s, at most %d rounds", s.Until, s.MaxRounds)
	}
	w.named(depth, "budget", s.Budget.text())
	w.named(depth, "workspace", s.Workspace)
	w.named(depth, "env", strings.Join(s.Env, ", "))
	w.named(depth, "command", inOneLine(s.Run))
	w.named(depth, "question", inOneLine(s.Ask))
	w.named(depth, "choices", strings.Join(s.Choices, ", "))
	if s.Comment {
		w.line(depth, "comment: asked for")
	}
	w.named(depth, "agent", s.Agent)
	switch {
	case s.Uses != nil:
		w.line(depth, "uses: %s", s.Uses.File)
		for _, asked := range s.Asks {
			w.line(depth, "asks for %s", asked)
		}
	case s.Stop != "":
		w.line(depth, "model: %s", cmp.Or(strings.Join(s.Models, ", then "), "known only when the step runs"))
		w.line(depth, "tools: %s", cmp.Or(strings.Join(s.Tools, ", "), "none"))
	case len(s.Tools) > 0:
		w.line(depth, "tool: %s", s.Tools[0])
		for _, name := range slices.Sorted(maps.Keys(s.With)) {
			w.named(depth+1, name, inOneLine(s.With[name]))
		}
	}
	w.named(depth, "permissions of the step", s.Permissions.text())
	w.named(depth, "stop", s.Stop)
	if s.Uses != nil {
		w.workflow(*s.Uses, s.Steps, depth)
		return
	}
	w.steps(s.Steps, depth)
}

// inOneLine joins the lines of a text.
func inOneLine(text string) string { return strings.ReplaceAll(strings.TrimSpace(text), "\n", "; ") }

// named writes a line, unless the text is empty.
func (w *planWriter) named(depth int, name, text string) {
	if text != "" {
		w.line(depth, "%s: %s", name, text)
	}
}

// line writes one line; several lines of a text from the file are joined.
func (w *planWriter) line(depth int, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	fmt.Fprintf(w, "%s%s\n", strings.Repeat("  ", depth), strings.ReplaceAll(text, "\n", " "))
}
