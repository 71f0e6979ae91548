package view

import (
	"fmt"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

// A Narrator tells the events of a run in lines: those that somebody who watches
// it, or reads its log, would want. It counts what it is given.
type Narrator struct {
	*Run
	told map[string]bool // failures whose words were told
}

// NewNarrator returns a narrator of a run that has not begun.
func NewNarrator() *Narrator { return &Narrator{Run: NewRun(), told: map[string]bool{}} }

// Told reports whether the words of a failure were told.
func (n *Narrator) Told(message string) bool { return n.told[message] }

// Lines counts the event and returns what it says; mostly nothing.
func (n *Narrator) Lines(e runner.Event) []Line {
	unit := n.Take(e)
	line := Line{Place: term.Visible(Place(e))}
	switch e.Type {
	case runner.RunStarted:
		return []Line{{Text: fmt.Sprintf("%s: run %s", term.Visible(e.Workflow), e.RunID)}}
	case runner.StepStarted:
		line.Word, line.Tone = started(e), Faint
	case runner.StepFinished:
		return n.finished(line, e, unit)
	case steps.CallFinished:
		return call(line, e.Event)
	case steps.Retry:
		line.Word, line.Tone = "retry", Doubtful
		line.Text = fmt.Sprintf(" in %s, attempt %d: %s", Took(e.Wait), e.Attempt, Brief(e.Event.Error))
	case steps.Warning:
		line.Word, line.Tone = "warning", Doubtful
		line.Text = ": " + Brief(joined(e.Message, e.Event.Error))
	default:
		return nil
	}
	return []Line{line}
}

// started says how much there is to do.
func started(e runner.Event) string {
	text := "started"
	if e.Item != "" {
		text += " with " + term.Shorten(term.Visible(e.Item), 60)
	}
	if e.Items != nil {
		text += ", " + tools.Count(*e.Items, "element")
	}
	if e.Round > 1 {
		text += fmt.Sprintf(", round %d", e.Round)
	}
	return text
}

// call tells calls that did not do what they were meant to.
func call(line Line, e steps.Event) []Line {
	switch e.Status {
	case tools.Denied:
		line.Word, line.Tone = "denied", Bad
		line.Text = " " + Call(e.Tool, e.Input) + because(e.Rule, reasonOf(e))
	case tools.Failed:
		line.Text = "call failed: " + Call(e.Tool, e.Input) + ": " + Brief(e.Error)
	default:
		return nil
	}
	return []Line{line}
}

// finished tells what a step came to and, where it was no foreach whose elements
// have told theirs, why it failed. Why all that ran was cancelled is told once, at
// the end.
func (n *Narrator) finished(line Line, e runner.Event, unit *Unit) []Line {
	line.Word, line.Tone = string(e.Status), ToneOf(e.Status)
	if e.Status == steps.Skipped {
		return []Line{line}
	}
	line.Text = " in " + Took(e.Elapsed)
	if e.Status == steps.Stopped {
		line.Text += ", " + string(e.Reason)
	}
	elements := unit.Elements != nil && unit.Elements.Ended > 0
	if elements {
		line.Text += ", " + unit.Elements.ended()
	}
	if counts := unit.Counts.String(); counts != "" {
		line.Text += ": " + counts
	}
	lines := []Line{line}
	if e.Failure != nil && !elements && e.Status != steps.Cancelled {
		lines = append(lines, n.failure(e.Failure)...)
	}
	return lines
}

// failure is why something failed, in its own words.
func (n *Narrator) failure(f *steps.Error) []Line {
	n.told[f.Message] = true
	var lines []Line
	for _, text := range Quoted(f.Message) {
		lines = append(lines, Line{Text: text})
	}
	if f.Hint != "" {
		lines = append(lines, Line{Text: "  hint: " + term.Visible(f.Hint)})
	}
	return lines
}

// ToneOf is how the status of a step, or of a run, may be shown.
func ToneOf(s steps.Status) Tone {
	switch s {
	case steps.Succeeded:
		return Good
	case steps.Skipped:
		return Faint
	case steps.Stopped, steps.Cancelled:
		return Doubtful
	}
	return Bad
}

// FailureLines name the step that a run failed in, and why: on one line where all
// of it was told already.
func FailureLines(f *runner.Failure, told bool) []string {
	message := f.Message
	if f.Step != "" {
		message = fmt.Sprintf("step %q: %s", f.Step, message)
	}
	lines := strings.SplitN(strings.TrimSpace(message), "\n", 2)
	said := []string{Brief(lines[0])}
	if len(lines) > 1 && !told {
		said = append(said, Quoted(lines[1])...)
	}
	return said
}
