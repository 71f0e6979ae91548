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
	p.differences("input", c.Inputs)
	p.line("\n%s", strings.TrimSuffix(aligned("", rowsOf(c.Before, c.After)), "\n"))
	for _, step := range c.Steps {
		p.comparedStep(step)
	}
	if len(c.Steps) == 0 {
		p.line("\nthe steps of both runs are the same, except for their times")
	}
	if len(c.Outputs) > 0 {
		p.line("")
	}
	p.differences("output", c.Outputs)
	if judged := c.Check; judged != nil {
		p.line("\nthe check is %t: %s", judged.Holds, judged.Expression)
		for _, part := range judged.Why {
			p.line("  %s", part.Line(nil))
		}
	}
	return p.String()
}

// aligned aligns rows in columns.
func aligned(indent string, rows []pair) string {
	var t table
	for _, r := range rows {
		t.row(indent+r.name, r.before, r.after, r.change)
	}
	return t.String()
}

// comparedStep writes what differs of a step.
func (p *page) comparedStep(step view.StepComparison) {
	switch {
	case step.Before == nil:
		p.line("\nstep %q: only in the run after (%s)", step.Step, step.After.Status)
		return
	case step.After == nil:
		p.line("\nstep %q: only in the run before (%s)", step.Step, step.Before.Status)
		return
	}
	p.line("\nstep %q:", step.Step)
	p.WriteString(aligned("  ", changedRows(step)))
	for _, e := range step.Elements {
		p.line("  element %s changed from %s to %s", term.Shorten(e.Name, 80), valueWord(e.Before), valueWord(e.After))
	}
	if step.More > 0 {
		p.line("  and %d more elements", step.More)
	}
}

// differences writes values that differ, by name.
func (p *page) differences(what string, all []view.Difference) {
	for _, d := range all {
		if d.Diff == "" {
			p.line("%s %q changed from `%s` to `%s`", what, d.Name, valueWord(d.Before), valueWord(d.After))
			continue
		}
		p.line("%s %s:\n  %s", what, d.Name, strings.ReplaceAll(strings.TrimSuffix(d.Diff, "\n"), "\n", "\n  "))
	}
}

// Markdown is a comparison for a comment or a summary of a job. Text of the runs is
// shown as text: it stands in code alone.
func Markdown(c *view.Comparison) string {
	var p page
	if judged := c.Check; judged != nil {
		p.line("the check is %s: %s\n", map[bool]string{true: "true", false: "**false**"}[judged.Holds], code(judged.Expression))
	}
	p.line("| %s | before | after | |\n|---|---|---|---|", code(c.After.Workflow))
	row := func(name string, before, after, change string) {
		p.line("| %s | %s | %s | %s |", name, code(before), code(after), change)
	}
	for _, r := range rowsOf(c.Before, c.After) {
		row(r.name, r.before, r.after, r.change)
	}
	for _, step := range c.Steps {
		for _, r := range changedRows(step) {
			row(code(step.Step)+" "+r.name, r.before, r.after, r.change)
		}
		for _, e := range step.Elements {
			row(code(step.Step)+" "+code(e.Name), valueWord(e.Before), valueWord(e.After), "")
		}
	}
	for _, d := range c.Outputs {
		row("output "+code(d.Name), valueWord(d.Before), valueWord(d.After), "")
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
	return term.Shorten(runner.Text(value), 80)
}

// A pair is one number or word of both runs.
type pair struct{ name, before, after, change string }

// rowsOf are the numbers of both, without those that neither has.
func rowsOf(a, b *view.Measured) (rows []pair) {
	add := func(name, before, after, change string) {
		if before == after { // words can be too coarse for a change
			change = ""
		}
		if before+after != "" {
			rows = append(rows, pair{name, before, after, change})
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

// changedRows are the rows of a step that differ, but for its time; of one that only one of the runs
// has, its status.
func changedRows(step view.StepComparison) []pair {
	switch {
	case step.Before == nil:
		return []pair{{"status", "", statusWord(step.After), ""}}
	case step.After == nil:
		return []pair{{"status", statusWord(step.Before), "", ""}}
	}
	return slices.DeleteFunc(rowsOf(step.Before, step.After), func(r pair) bool { return r.before == r.after || r.name == "time" })
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
