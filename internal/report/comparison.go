package report

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner/view"
)

// Comparison is a comparison of two runs for a person. The texts of the runs in it are not made
// safe for a terminal.
func Comparison(c *view.Comparison) string {
	var b strings.Builder
	fmt.Fprintf(&b, "before: %s %s\nafter:  %s %s\n", c.Before.Workflow, c.Before.RunID, c.After.Workflow, c.After.RunID)
	for _, file := range c.Files {
		fmt.Fprintf(&b, "differs: %s\n", file)
	}
	writeValues(&b, "input", c.Inputs)
	b.WriteByte('\n')
	writeRows(&b, "", rowsOf(c.Before, c.After))
	for _, step := range c.Steps {
		writeStep(&b, step)
	}
	if len(c.Steps) == 0 {
		b.WriteString("\nno step differs, except in its time\n")
	}
	if slices.ContainsFunc(c.Steps, isShifted) {
		b.WriteString("\nhint: steps without an id are matched by their number; give them ids to match them by name\n")
	}
	if len(c.Outputs) > 0 {
		b.WriteByte('\n')
	}
	writeValues(&b, "output", c.Outputs)
	if judged := c.Check; judged != nil {
		fmt.Fprintf(&b, "\ncheck: %s: %s\n", judged.Expression, map[bool]string{true: "holds", false: "does not hold"}[judged.Holds])
		for _, part := range judged.Why {
			fmt.Fprintf(&b, "  %s is %s\n", part.Source, valueWord(part.Value))
		}
	}
	return b.String()
}

var numbered = regexp.MustCompile(`(^|/)step-[0-9]+$`)

// isShifted reports whether only one run has the step, and the steps of the other may be numbered
// differently.
func isShifted(step view.StepComparison) bool {
	return (step.Before == nil || step.After == nil) && numbered.MatchString(step.Step)
}

// writeRows writes rows as columns.
func writeRows(b *strings.Builder, indent string, rows []pair) {
	text := table(func(to io.Writer) {
		for _, r := range rows {
			fmt.Fprintf(to, "%s%s\t%s\t%s\t%s\n", indent, r.name, r.before, r.after, r.change)
		}
	})
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
}

// writeStep writes what differs of a step.
func writeStep(b *strings.Builder, step view.StepComparison) {
	switch {
	case step.Before == nil:
		fmt.Fprintf(b, "\nstep %s: new, %s\n", step.Step, step.After.Status)
		return
	case step.After == nil:
		fmt.Fprintf(b, "\nstep %s: removed, was %s\n", step.Step, step.Before.Status)
		return
	}
	fmt.Fprintf(b, "\nstep %s\n", step.Step)
	var changed []pair
	for _, r := range rowsOf(step.Before, step.After) {
		if r.before != r.after && r.name != "time" {
			changed = append(changed, r)
		}
	}
	writeRows(b, "  ", changed)
	for _, e := range step.Elements {
		fmt.Fprintf(b, "  element %s: %s → %s\n", term.Shorten(e.Name, 80), valueWord(e.Before), valueWord(e.After))
	}
	if step.More > 0 {
		fmt.Fprintf(b, "  and %d more elements\n", step.More)
	}
}

func writeLines(b *strings.Builder, indent, lines string) {
	for line := range strings.Lines(lines) {
		b.WriteString(indent + strings.TrimRight(line, "\n") + "\n")
	}
}

// writeValues writes values that differ, by name.
func writeValues(b *strings.Builder, what string, all []view.Difference) {
	for _, d := range all {
		if d.Diff == "" {
			fmt.Fprintf(b, "%s %s: %s → %s\n", what, d.Name, valueWord(d.Before), valueWord(d.After))
			continue
		}
		fmt.Fprintf(b, "%s %s:\n", what, d.Name)
		writeLines(b, "  ", d.Diff)
	}
}

// Markdown is a comparison for a comment or a summary of a job. Text of the runs is
// shown as text: it stands in code alone.
func Markdown(c *view.Comparison) string {
	var b strings.Builder
	if judged := c.Check; judged != nil {
		word := map[bool]string{true: "holds", false: "**does not hold**"}[judged.Holds]
		fmt.Fprintf(&b, "%s: %s\n\n", code(judged.Expression), word)
	}
	fmt.Fprintf(&b, "| %s | before | after | |\n|---|---|---|---|\n", code(c.After.Workflow))
	writeCells := func(name string, before, after, change string) {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", name, code(before), code(after), change)
	}
	for _, r := range rowsOf(c.Before, c.After) {
		writeCells(r.name, r.before, r.after, r.change)
	}
	for _, step := range c.Steps {
		for _, r := range rowsOf(step.Before, step.After) {
			if r.before != r.after && r.name != "time" {
				writeCells(code(step.Step)+" "+r.name, r.before, r.after, r.change)
			}
		}
		for _, e := range step.Elements {
			writeCells(code(step.Step)+" "+code(e.Name), valueWord(e.Before), valueWord(e.After), "")
		}
	}
	for _, d := range c.Outputs {
		before, after := apart(valueText(d.Before), valueText(d.After))
		writeCells("output "+code(d.Name), before, after, "")
	}
	return b.String()
}

// apart returns two texts from a little before their first difference, so that a cut at their
// ends leaves it visible.
func apart(before, after string) (string, string) {
	const around = 30
	a, b := []rune(before), []rune(after)
	same := 0
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	if same <= around {
		return before, after
	}
	return "…" + string(a[same-around:]), "…" + string(b[same-around:])
}

// code is a text as code in a Markdown table. No text can end the code.
func code(text string) string {
	text = term.Shorten(term.Visible(text), 120)
	if text == "" {
		return ""
	}
	text = strings.NewReplacer("|", "\\|", "`", "'").Replace(text)
	return "`" + text + "`"
}
