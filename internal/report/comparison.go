package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/view"
	"github.com/a-seed-11b9befa/flow/steps"
)

// Comparison is a comparison of two runs for a person. The texts of the runs in it are not made
// safe for a terminal.
func Comparison(c *view.Comparison) string {
	var p page
	p.line("before: %s %s\nafter:  %s %s", c.Before.Workflow, c.Before.RunID, c.After.Workflow, c.After.RunID)
	for _, file := range c.Files {
		p.line("the file %s differs", file)
	}
	p.line("")
	var t table
	for _, r := range rowsOf(c) {
		t.row(r.title(), r.before, r.after, r.change)
	}
	p.lines(t.lines(0))
	if len(c.Steps) == 0 {
		p.line("\nthe steps of both runs are the same, except for their times")
	}
	if judged := c.Check; judged != nil {
		p.line("\nthe check is %t: %s", judged.Holds, judged.Expression)
		for _, part := range judged.Why {
			p.line("  %s", part.Line(nil))
		}
	}
	return p.String()
}

// Markdown is a comparison for a comment or a summary of a job. Text of the runs is
// shown as text: it stands in code alone.
func Markdown(c *view.Comparison) string {
	var p page
	if judged := c.Check; judged != nil {
		p.line("the check is %s: %s\n", map[bool]string{true: "true", false: "**false**"}[judged.Holds], code(judged.Expression))
	}
	p.line("| %s | before | after | |\n|---|---|---|---|", code(c.After.Workflow))
	for _, r := range rowsOf(c) {
		title := r.name
		if r.of != "" {
			title = code(r.title())
		}
		p.line("| %s | %s | %s | %s |", title, code(r.before), code(r.after), r.change)
	}
	return p.String()
}

// code is a text as code in a Markdown table. No text can end the code.
func code(text string) string {
	text = term.Shorten(term.Visible(text), 120)
	if text == "" {
		return ""
	}
	return "`" + strings.NewReplacer("|", "\\|", "`", "'").Replace(text) + "`"
}

// valueWord is a value on one line.
func valueWord(value any) string {
	if value == nil {
		return "(none)"
	}
	return term.Shorten(term.Visible(runner.Text(value)), 80)
}

// A row is one number or word of both runs, of one of their steps, or of an element.
type row struct{ of, name, before, after, change string }

func (r row) title() string { return strings.TrimSpace(r.of + " " + r.name) }

// rowsOf are the numbers of both runs, and what differs: of each step, but for its time, and of its
// elements, of the inputs and the outputs.
func rowsOf(c *view.Comparison) (rows []row) {
	rows = numbers("", c.Before, c.After)
	values := func(of string, all []view.Difference) {
		for _, d := range all {
			rows = append(rows, row{of, term.Shorten(d.Name, 80), valueWord(d.Before), valueWord(d.After), ""})
		}
	}
	for _, step := range c.Steps {
		switch {
		case step.Before == nil:
			rows = append(rows, row{step.Step, "status", "", statusWord(step.After), ""})
		case step.After == nil:
			rows = append(rows, row{step.Step, "status", statusWord(step.Before), "", ""})
		default:
			same := func(r row) bool { return r.before == r.after || r.name == "time" }
			rows = append(rows, slices.DeleteFunc(numbers(step.Step, step.Before, step.After), same)...)
		}
		values(step.Step, step.Elements)
		if step.More > 0 {
			rows = append(rows, row{of: step.Step, name: "and " + quantity.Count(step.More, "more element")})
		}
	}
	values("input", c.Inputs)
	values("output", c.Outputs)
	return rows
}

// numbers are the numbers of two runs, or of a step in both, without those that neither has.
func numbers(of string, a, b *view.Measured) (rows []row) {
	add := func(name, before, after, change string) {
		if before == after { // words can be too coarse for a change
			change = ""
		}
		if before+after != "" {
			rows = append(rows, row{of, name, before, after, change})
		}
	}
	count := func(name string, before, after int) {
		add(name, strconv.Itoa(before), strconv.Itoa(after), fmt.Sprintf("%+d", after-before))
	}
	add("status", statusWord(a), statusWord(b), "")
	if a.Failures+b.Failures > 0 {
		count("failures", a.Failures, b.Failures)
	}
	add("stop reason", a.StopReason, b.StopReason, "")
	add("model", strings.Join(a.Models, ", "), strings.Join(b.Models, ", "), "")
	count("turns", a.Turns, b.Turns)
	if a.Cached+b.Cached > 0 {
		count("cached", a.Cached, b.Cached)
	}
	count("calls", a.Calls, b.Calls)
	count("denied", a.Denied, b.Denied)
	add("tokens", quantity.Thousands(a.Tokens), quantity.Thousands(b.Tokens), percent(float64(a.Tokens), float64(b.Tokens)))
	change := ""
	if a.Cost.Known && b.Cost.Known {
		change = percent(a.Cost.USD, b.Cost.USD)
	}
	add("cost", a.Cost.String(), b.Cost.String(), change)
	add("time", view.Took(millis(a.TookMS)), view.Took(millis(b.TookMS)), percent(float64(a.TookMS), float64(b.TookMS)))
	return rows
}

func statusWord(m *view.Measured) string {
	status := view.StatusWord(steps.Status(m.Status), m.Continued)
	if m.Error != "" {
		status += " (" + steps.Kind(m.Error).Words() + ")"
	}
	return status
}

func percent(a, b float64) string {
	if a == 0 {
		return ""
	}
	return fmt.Sprintf("%+.0f%%", 100*(b-a)/a)
}

func millis(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
