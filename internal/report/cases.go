package report

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/suite"
	"github.com/a-seed-11b9befa/flow/runner/view"
)

// Cases reports the cases of test files as they end.
type Cases struct {
	To      io.Writer
	Paint   term.Painter
	Verbose bool // of cases that passed, too
}

// Case writes a case that failed, with what differs, or that has written golden files.
func (c Cases) Case(o *suite.Outcome) {
	if o.Skipped || o.Passed() && !c.Verbose && len(o.Written) == 0 {
		return
	}
	word := c.Paint.Paint(term.Bad, "FAILED")
	if o.Passed() {
		word = c.Paint.Paint(term.Good, "ok")
	}
	var p page
	p.line("%s  %s (%s)", word, term.Visible(o.File+": "+o.Name), view.Took(o.Took))
	for _, failure := range o.Failures {
		for line := range strings.Lines(failure.Text()) {
			p.line("  %s", term.Visible(strings.TrimSuffix(line, "\n")))
		}
	}
	for _, file := range o.Written {
		p.line("  wrote %s", term.Visible(file))
	}
	if o.Dir != "" && o.Result != nil {
		p.line("  details: flow show %s", term.Visible(filepath.Join(o.Dir, "run")))
	}
	if o.Dir != "" && !o.Bare {
		p.line("  workspace: %s", term.Visible(filepath.Join(o.Dir, "workspace")))
	}
	io.WriteString(c.To, term.Disarm(p.String()))
}

// Suite sums up all cases: how many passed, with a real model how often each held and, with a
// coverage, what no case reached.
func Suite(outcomes []*suite.Outcome, live bool, covered *suite.Coverage, took time.Duration) string {
	var p page
	if live {
		p.passes(outcomes)
	}
	if covered != nil {
		p.coverage(covered)
	}
	passed, ran := tally(outcomes)
	total := fmt.Sprintf("%s passed in %s", quantity.Count(ran, "case"), view.Took(took))
	if passed < ran {
		total = fmt.Sprintf("%d of %s failed in %s", ran-passed, quantity.Count(len(outcomes), "case"), view.Took(took))
	}
	if skipped := len(outcomes) - ran; skipped > 0 {
		total += fmt.Sprintf(", %d did not run", skipped)
	}
	p.line("%s", total)
	return p.String()
}

// tally counts the cases that passed, and those that ran.
func tally(outcomes []*suite.Outcome) (passed, ran int) {
	for _, o := range outcomes {
		if !o.Skipped {
			ran++
		}
		if o.Passed() {
			passed++
		}
	}
	return passed, ran
}

// passes says how often each case passed, and what all of them cost. The runs of a case are together.
func (p *page) passes(outcomes []*suite.Outcome) {
	cost := runner.Cost{Known: true}
	first := 0
	for i, o := range outcomes {
		if o.Result != nil {
			cost.USD += o.Result.Cost.USD
			cost.Known = cost.Known && o.Result.Cost.Known
		}
		if next := i + 1; next == len(outcomes) || outcomes[next].File != o.File || outcomes[next].Name != o.Name {
			passed, ran := tally(outcomes[first:next])
			p.line("%d of %d passed  %s", passed, ran, term.Visible(o.File+": "+o.Name))
			first = next
		}
	}
	p.line("cost: %s", cost)
}

// coverage says what no case reached, by workflow.
func (p *page) coverage(c *suite.Coverage) {
	files, reached, all := c.Files()
	for _, file := range files {
		p.line("%s: %d of %d reached", term.Visible(file), reached[file], all[file])
		for _, point := range c.Points() {
			if point.Pos.File == file && !point.Reached {
				p.line("  %s: not covered: %s", term.Visible(point.Pos.String()), term.Visible(point.What))
			}
		}
	}
}
