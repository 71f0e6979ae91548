package view

import (
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/steps"
)

// Ending returns the lines for the end of the run: its status and counts, then what failed, and why it failed,
// what was denied, and which outputs are incomplete. outputs is the folder of whole outputs.
// hint returns the hint of an error; "" if it has none.
func (n *Narrator) Ending(r *runner.Result, outputs string, hint func(*steps.Error) string) []Line {
	lines := []Line{End(r)}
	if r.Status == steps.Succeeded {
		for _, text := range Continued(Shortfalls(r)) {
			lines = append(lines, Line{Text: text})
		}
	}
	if r.Error != nil {
		for i, text := range FailureLines(r.Error, r.Error.Step != "") {
			line := Line{Text: text}
			if i == 0 {
				line.Place = "flow"
			}
			lines = append(lines, line)
		}
		if text := n.Hint(hint(&r.Error.Error)); text != "" && !Raises(text) {
			lines = append(lines, Line{Text: "hint: " + term.Visible(text)})
		}
	}
	for _, text := range n.denials.lines(totalOf(r).Denied) {
		lines = append(lines, Line{Text: text})
	}
	if text := TruncatedLine(r.Steps, outputs); text != "" {
		lines = append(lines, Line{Text: term.Visible(text)})
	}
	if len(r.Unpriced) > 0 {
		lines = append(lines, Line{Text: NoPrice(r.Unpriced)})
	}
	return lines
}

// Raises reports whether a hint is to raise a limit before the run is resumed, which the last line of a
// report says together with the command.
func Raises(hint string) bool { return strings.HasPrefix(hint, "raise ") }

// NoPrice says that the cost of a run is unknown, and because of which models, if that is known.
func NoPrice(unpriced []string) string {
	if len(unpriced) == 0 {
		return "cost unknown"
	}
	return "cost unknown: no price for " + term.Visible(strings.Join(unpriced, ", "))
}

// End returns what a run came to: its status, its time and its counts.
func End(r *runner.Result) Line {
	short := Shortfalls(r)
	line := Line{Word: Outcome(r.Status, short), Tone: toneOf(r.Status), Text: " in " + Spent(r)}
	switch {
	case r.Status == steps.Waiting:
		line.Text = " after " + Spent(r)
	case r.Status == steps.Succeeded && len(short) > 0:
		line.Tone, line.Text = term.Doubtful, ", after "+Spent(r)
	}
	return line
}

// totalOf adds up the counts of the steps, of all processes that have worked in the run; events
// are of this one only.
func totalOf(r *runner.Result) (total Counts) {
	for step := range r.Steps.Top() {
		total = total.Plus(step.Numbers())
	}
	return total
}

// Spent returns the time and the counts of a run.
func Spent(r *runner.Result) string {
	total := totalOf(r)
	total.Tokens, total.CostUSD, total.Unpriced = r.Usage.Total(), r.Cost.USD, !r.Cost.Known
	return joined(Took(time.Duration(r.Duration)*time.Millisecond), total.String())
}
