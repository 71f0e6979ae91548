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
	"github.com/a-seed-11b9befa/flow/runner/view"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

// A report puts what a run came to in words, as its folder has it.
type report struct {
	*view.Report
	out     strings.Builder
	hinted  map[string]bool // hints that were given
	unasked bool            // a call was denied because nobody could be asked
	now     *view.Run       // where a run stands that goes on; nil: it has ended
}

// reportOf is the report of a run in a folder. The error is for elements that
// can't be read.
func reportOf(r *runner.Result, now *view.Run, dir string) (string, error) {
	what, err := view.NewReport(r)
	if err != nil {
		return "", err
	}
	p := &report{Report: what, hinted: map[string]bool{}, now: now}
	fmt.Fprintf(&p.out, "run %s: %s, %s", term.Visible(r.RunID), term.Visible(r.Workflow.Name), p.status())
	if r.Duration > 0 && now == nil {
		if !p.CutOff() && p.Outcome() != string(r.Status) {
			p.out.WriteByte(',')
		}
		fmt.Fprintf(&p.out, " in %s", view.Took(time.Duration(r.Duration)*time.Millisecond))
	}
	fmt.Fprintln(&p.out)
	if r.Error != nil && !p.CutOff() {
		where := ""
		if r.Error.Step != "" {
			where = fmt.Sprintf("step %q: ", r.Error.Step)
		}
		p.failure("", "", where, &r.Error.Error)
	}
	for _, step := range p.Steps {
		p.step(step, dir)
	}
	if now != nil {
		for _, line := range standing(now, time.Now(), mostStanding) {
			fmt.Fprintln(&p.out, line)
		}
	}
	p.spending(dir)
	var text strings.Builder
	for line := range strings.Lines(term.Disarm(p.out.String())) {
		text.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return text.String(), nil
}

// mostStanding is how many units are listed of what runs.
const mostStanding = 20

// status is the run's, or that it has none.
func (p *report) status() string {
	if p.now != nil {
		return "runs for " + view.Took(time.Since(p.Started))
	}
	if p.CutOff() {
		return "cut off before it ended"
	}
	return term.Visible(p.Outcome())
}

// spending is the last lines: what the run has used.
func (p *report) spending(dir string) {
	if p.unasked {
		fmt.Fprintln(&p.out, "hint: "+waysOut)
	}
	fmt.Fprintf(&p.out, "tokens: %s in, %s out", tools.Thousands(p.Usage.InputTokens), tools.Thousands(p.Usage.OutputTokens))
	switch {
	case p.Cost.Known:
		fmt.Fprintf(&p.out, "; cost: %s", view.Dollars(p.Cost.USD))
	case len(p.Unpriced) > 0:
		fmt.Fprintf(&p.out, "; cost unknown: no price for %s", term.Visible(strings.Join(p.Unpriced, ", ")))
	default:
		fmt.Fprintf(&p.out, "; cost unknown")
	}
	fmt.Fprintln(&p.out)
	if line := view.TruncatedLine(p.Result.Steps, filepath.Join(dir, "outputs")); line != "" && !p.CutOff() { // events don't tell what was lost
		fmt.Fprintln(&p.out, term.Visible(line))
	}
	fmt.Fprintf(&p.out, "folder: %s\n", term.Visible(dir))
}

// failure gives an error on a line, and on another its hint, the first time.
func (p *report) failure(indent, place, where string, e *steps.Error) {
	e = hinted(e)
	fmt.Fprintf(&p.out, "%s%serror: %s%s (%s)\n", indent, place, term.Visible(where), view.Brief(e.Message), term.Visible(string(e.Kind)))
	if e.Hint != "" && !p.hinted[e.Hint] {
		p.hinted[e.Hint] = true
		fmt.Fprintf(&p.out, "%shint: %s\n", indent, view.Brief(e.Hint))
	}
}

// step gives a step's line, and under it what went wrong in it.
func (p *report) step(s *view.StepReport, dir string) {
	status := string(s.Status)
	if status == "" {
		if status = "cut off"; p.now != nil {
			status = "runs"
		}
	}
	fmt.Fprintf(&p.out, "  %s %s", term.Pad(term.Visible(s.Path()), 20), term.Pad(term.Visible(status), 9))
	if counts := s.Counts.String(); counts != "" {
		fmt.Fprintf(&p.out, " %s", counts)
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
	if s.StepResult.Counts != nil && s.StepResult.Counts.LeftOut > 0 {
		fmt.Fprintf(&p.out, "      when left out %s of %s\n", tools.Thousands(s.StepResult.Counts.LeftOut), tools.Count(s.StepResult.Counts.Total+s.StepResult.Counts.LeftOut, "element"))
	}
	if s.Failed > 0 && !p.CutOff() {
		fmt.Fprintf(&p.out, "      %s of %s did not succeed (%s)\n", tools.Thousands(s.Failed), tools.Count(s.Of, "element"), term.Visible(s.Reasons.String()))
	}
	for _, element := range s.Troubled {
		p.element(element)
	}
	for _, why := range slices.Sorted(maps.Keys(s.Cancelled)) {
		fmt.Fprintf(&p.out, "      %s: %s\n", tools.Count(s.Cancelled[why], "element"), view.Brief(why))
	}
	if s.Of == 0 || s.Status == "" { // else they tell theirs
		p.denials(s.Denied, "")
	}
}

// element tells what went wrong with one element. Cancelled ones are told together.
func (p *report) element(e *runner.ElementResult) {
	place := fmt.Sprintf("[%d] ", e.Index)
	if e.Label != "" {
		place += "(" + term.Shorten(view.Brief(e.Label), 60) + ") "
	}
	p.denials(e.Denied, place)
	if e.Error != nil && e.Status != steps.Cancelled {
		p.failure("      ", place, "", e.Error)
	}
}

// denials gives a line for each denied call.
func (p *report) denials(denied []steps.Denial, place string) {
	for _, d := range denied {
		fmt.Fprintf(&p.out, "      %sdenied: %s\n", place, view.Denied(d))
		p.unasked = p.unasked || view.WasUnasked(d.Rule)
	}
}
