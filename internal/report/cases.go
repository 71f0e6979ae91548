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

// Case writes a case that failed, with what differs.
func (c Cases) Case(o *suite.Outcome) {
	if o.Skipped || o.Passed() && !c.Verbose {
		return
	}
	word := c.Paint.Red("FAILED")
	if o.Passed() {
		word = c.Paint.Green("ok")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s (%s)\n", word, term.Visible(o.File+": "+o.Name), view.Took(o.Took))
	for _, failure := range o.Failures {
		for line := range strings.Lines(failure.Text()) {
			fmt.Fprintf(&b, "  %s\n", paintedDiff(c.Paint, term.Visible(strings.TrimSuffix(line, "\n"))))
		}
	}
	if o.Dir != "" && o.Result != nil {
		fmt.Fprintf(&b, "  details: flow show %s\n", term.Visible(filepath.Join(o.Dir, "run")))
	}
	if o.Dir != "" && !o.Bare {
		fmt.Fprintf(&b, "  workspace: %s\n", term.Visible(filepath.Join(o.Dir, "workspace")))
	}
	io.WriteString(c.To, term.Disarm(b.String()))
}

// paintedDiff colours a line of a difference.
func paintedDiff(paint term.Painter, line string) string {
	switch trimmed := strings.TrimLeft(line, " "); {
	case len(line)-len(trimmed) < 4:
	case strings.HasPrefix(trimmed, "+"):
		return paint.Green(line)
	case strings.HasPrefix(trimmed, "-"):
		return paint.Red(line)
	}
	return line
}

// Suite sums up all cases: how many passed, with a real model how often each held and, with a
// coverage, what no case reached.
func Suite(outcomes []*suite.Outcome, live bool, covered *suite.Coverage, took time.Duration) (text string) {
	if live {
		text += passed(outcomes)
	}
	if covered != nil {
		text += coverage(covered)
	}
	return text + total(outcomes, took) + "\n"
}

// total counts the cases by their outcomes.
func total(outcomes []*suite.Outcome, took time.Duration) string {
	failed, skipped := 0, 0
	for _, o := range outcomes {
		switch {
		case o.Skipped:
			skipped++
		case !o.Passed():
			failed++
		}
	}
	line := fmt.Sprintf("%s passed in %s", quantity.Count(len(outcomes)-skipped, "case"), view.Took(took))
	if failed > 0 {
		line = fmt.Sprintf("%d of %s failed in %s", failed, quantity.Count(len(outcomes), "case"), view.Took(took))
	}
	if skipped > 0 {
		line += fmt.Sprintf(", %d did not run", skipped)
	}
	return line
}

// passed says how often each case passed, and what all of them cost.
func passed(outcomes []*suite.Outcome) string {
	var b strings.Builder
	cost := runner.Cost{Known: true}
	for from := 0; from < len(outcomes); {
		passed, ran, to := 0, 0, from
		for ; to < len(outcomes) && outcomes[to].File == outcomes[from].File && outcomes[to].Name == outcomes[from].Name; to++ {
			o := outcomes[to]
			if o.Passed() {
				passed++
			}
			if !o.Skipped {
				ran++
			}
			if o.Result != nil {
				cost.USD += o.Result.Cost.USD
				cost.Known = cost.Known && o.Result.Cost.Known
			}
		}
		fmt.Fprintf(&b, "%d of %d passed  %s\n", passed, ran, term.Visible(outcomes[from].File+": "+outcomes[from].Name))
		from = to
	}
	return b.String() + "cost: " + cost.String() + "\n"
}

// coverage says what no case reached, by workflow.
func coverage(c *suite.Coverage) string {
	var b strings.Builder
	files, reached, all := c.Files()
	for _, file := range files {
		fmt.Fprintf(&b, "%s: %d of %d reached\n", term.Visible(file), reached[file], all[file])
		for _, p := range c.Points() {
			if p.Pos.File == file && !p.Reached {
				fmt.Fprintf(&b, "  %s: %s\n", term.Visible(p.Pos.String()), term.Visible(p.What))
			}
		}
	}
	return b.String()
}
