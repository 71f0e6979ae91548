package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

// A report tells a person what a run came to, as its folder has it.
type report struct {
	*runner.Result
	out strings.Builder
}

// reportOf is the report of a run in a folder. The error is for elements that
// can't be read.
func reportOf(r *runner.Result, dir string) (string, error) {
	p := &report{Result: r}
	fmt.Fprintf(&p.out, "run %s: %s, %s", term.Visible(r.RunID), term.Visible(r.Workflow.Name), p.status())
	if r.Duration > 0 {
		fmt.Fprintf(&p.out, " in %s", took(time.Duration(r.Duration)*time.Millisecond))
	}
	fmt.Fprintln(&p.out)
	if r.Error != nil && !p.cutOff() {
		where := ""
		if r.Error.Step != "" {
			where = fmt.Sprintf("step %q: ", r.Error.Step)
		}
		p.failure("", "", where, &r.Error.Error)
	}
	for _, step := range r.Steps {
		if err := p.step(step, dir); err != nil {
			return "", err
		}
	}
	p.spending(dir)
	var text strings.Builder
	for line := range strings.Lines(term.Disarm(p.out.String())) {
		text.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return text.String(), nil
}

// cutOff reports whether the run was killed, or still runs.
func (p *report) cutOff() bool {
	return p.Finished.IsZero() && p.Error != nil && p.Error.Kind == steps.KindInternal
}

// status is the run's, or that it has none.
func (p *report) status() string {
	if p.cutOff() {
		return "cut off before it ended"
	}
	return term.Visible(string(p.Status))
}

// spending is the last lines: what the run has used.
func (p *report) spending(dir string) {
	fmt.Fprintf(&p.out, "tokens: %s in, %s out", tools.Thousands(p.Usage.InputTokens), tools.Thousands(p.Usage.OutputTokens))
	switch {
	case p.Cost.Known:
		fmt.Fprintf(&p.out, "; cost: %s", dollars(p.Cost.USD))
	case len(p.Unpriced) > 0:
		fmt.Fprintf(&p.out, "; cost unknown: no price for %s", term.Visible(strings.Join(p.Unpriced, ", ")))
	default:
		fmt.Fprintf(&p.out, "; cost unknown")
	}
	fmt.Fprintln(&p.out)
	if line := truncatedLine(p.Steps, filepath.Join(dir, "outputs")); line != "" && !p.cutOff() { // events don't tell what was lost
		fmt.Fprintln(&p.out, term.Visible(line))
	}
	fmt.Fprintf(&p.out, "folder: %s\n", term.Visible(dir))
}

// failure gives an error on a line, and its hint on another.
func (p *report) failure(indent, place, where string, e *steps.Error) {
	fmt.Fprintf(&p.out, "%s%serror: %s%s (%s)\n", indent, place, term.Visible(where), brief(e.Message), term.Visible(string(e.Kind)))
	if e.Hint != "" {
		fmt.Fprintf(&p.out, "%shint: %s\n", indent, term.Visible(e.Hint))
	}
}

// step gives a step's line, and under it what went wrong in it.
func (p *report) step(s *runner.StepResult, dir string) error {
	status := string(s.Status)
	if status == "" {
		status = "cut off"
	}
	fmt.Fprintf(&p.out, "  %s %s", term.Pad(term.Visible(s.Path()), 20), term.Pad(term.Visible(status), 9))
	if amounts := tallyOf(s).amounts(); amounts != "" {
		fmt.Fprintf(&p.out, " %s", amounts)
	}
	if s.StopReason != "" && s.StopReason != steps.ReasonCompleted {
		fmt.Fprintf(&p.out, " [%s]", term.Visible(string(s.StopReason)))
	}
	fmt.Fprintln(&p.out)
	if s.Rounds > 1 {
		first := filepath.Join(dir, "steps", filepath.FromSlash(s.Path()), "@round-1")
		if s.Rounds > 2 {
			first += " and so on"
		}
		fmt.Fprintf(&p.out, "      round %d; what was before it is in %s\n", s.Rounds, term.Visible(first))
	}
	if s.Error != nil && s.Status != steps.Succeeded {
		p.failure("      ", "", "", s.Error)
	}
	elements := 0
	cancelled := map[string]int{}
	for element, err := range s.Elements() {
		if err != nil {
			return fmt.Errorf("step %q: %w", s.Path(), err)
		}
		elements++
		if element.Status == steps.Cancelled && element.Error != nil {
			cancelled[element.Error.Message]++
		}
		p.element(element)
	}
	for _, why := range slices.Sorted(maps.Keys(cancelled)) {
		fmt.Fprintf(&p.out, "      %s: %s\n", tools.Count(cancelled[why], "element"), brief(why))
	}
	if elements == 0 { // else they tell theirs
		p.denials(s.Denied, "")
	}
	return nil
}

// element tells what went wrong with one element. Cancelled ones are told together.
func (p *report) element(e *runner.ElementResult) {
	place := fmt.Sprintf("[%d] ", e.Index)
	p.denials(e.Denied, place)
	if e.Error != nil && e.Status != steps.Cancelled {
		p.failure("      ", place, "", e.Error)
	}
}

// denials gives a line for each denied call.
func (p *report) denials(denied []steps.Denial, place string) {
	for _, d := range denied {
		fmt.Fprintf(&p.out, "      %sdenied: %s%s\n", place, describeCall(d.Tool, d.Input), because(d.Rule, ""))
	}
}

// tallyOf is the step's amounts, in the form in which progress shows them too.
func tallyOf(s *runner.StepResult) *tally {
	t := &tally{turns: s.Turns, calls: s.ToolCalls, denied: len(s.Denied), truncated: s.Truncated}
	if s.Usage != nil {
		t.tokens = s.Usage.Total()
	}
	if s.CostUSD != nil {
		t.cost = *s.CostUSD
	}
	t.unpriced = s.CostUSD == nil
	return t
}
