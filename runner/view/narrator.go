package view

import (
	"fmt"
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A Narrator turns the events of a run into lines for a person who watches it or reads its
// log, and counts them. The zero value narrates a run that has not begun.
type Narrator struct {
	Run
	Detail  Detail
	InPlace bool // what runs, and how far it is, is shown beside the lines, and in none of them

	inside map[string]steps.Kind // the last failure inside of each unit that runs, by its place
	hints  map[string]bool
	alike  map[string]int // how often something happened to elements, by what and why
	due    time.Time      // when to say again how far the run is; zero: 30 seconds after it began
}

// Detail is how much a [Narrator] says.
type Detail int

// The details.
const (
	Usual    Detail = iota // how far a foreach is, and what went wrong in its elements
	All                    // each element like a step
	Failures               // only what went wrong
)

// maxAlike is the number of kinds of events that are counted.
const maxAlike = 1000

// Hint returns a hint the first time that it is asked for, and "" from then on.
func (n *Narrator) Hint(hint string) string {
	if n.hints[hint] {
		return ""
	}
	note(&n.hints, hint, true)
	return hint
}

// Lines counts the event and returns what it says; mostly nothing.
func (n *Narrator) Lines(e runner.Event) []Line {
	unit := n.Take(e)
	lines := n.Due(e.Time)
	said := n.saidInside(e)
	if n.Detail == Failures && e.Failure == nil && e.Type != steps.Warning || n.isOneOfMany(e, said) {
		return lines
	}
	line := Line{Place: term.Visible(Place(e))}
	if unit != nil && e.Type != runner.StepStarted {
		line.Place = unit.Name()
	}
	switch e.Type {
	case runner.RunStarted:
		line.Text = fmt.Sprintf("%s: run %s", term.Visible(e.Workflow), e.RunID)
	case runner.StepStarted:
		if n.InPlace {
			return lines
		}
		line.Word, line.Tone = started(e), term.Faint
	case runner.StepFinished:
		return append(lines, n.finished(line, e, unit, said && n.Detail != All)...)
	case steps.CallFinished:
		return append(lines, call(line, e.Event)...)
	case steps.Retry:
		line.Word, line.Tone = "retry", term.Doubtful
		line.Text = fmt.Sprintf(" in %s, because attempt %d failed: %s", Took(e.Wait), e.Attempt, Brief(e.Event.Error))
	case runner.Asked:
		if n.InPlace { // the question itself is shown, or the end lists it
			return lines
		}
		line.Word, line.Tone = "waits for a person", term.Doubtful
		if line.Text = " to answer: " + Brief(strings.Join(strings.Fields(e.Message), " ")); e.Tool != "" {
			line.Text = " to approve the call `" + Call(e.Tool, e.Input) + "`"
		}
	case steps.Warning:
		line.Word, line.Tone = "warning", term.Doubtful
		line.Text = ": " + Brief(joined(e.Message, e.Event.Error))
	default:
		return lines
	}
	return append(lines, line)
}

// Due returns lines that say how far the run is and what holds it up, if none did for 30 seconds.
func (n *Narrator) Due(now time.Time) (lines []Line) {
	const every, maxUnits = 30 * time.Second, 5
	if n.due.IsZero() {
		n.due = n.Began.Add(every)
	}
	if n.InPlace || n.Detail == Failures || n.Began.IsZero() || now.Before(n.due) {
		return nil
	}
	n.due = now.Add(every)
	for _, u := range n.Running() {
		if !u.Part && len(lines) < maxUnits {
			lines = append(lines, Line{Place: u.Name(), Text: u.soFar(now)})
		}
	}
	if held := n.Held(now); held != "" && len(lines) > 0 {
		lines[len(lines)-1].Text += "; " + held
	} else if held != "" {
		lines = []Line{{Text: held}}
	}
	return lines
}

// isOneOfMany reports whether an event of an element is not told: how far the foreach is says enough, or
// it was told of several elements.
func (n *Narrator) isOneOfMany(e runner.Event, said bool) bool {
	if e.Index == nil || n.Detail == All {
		return false
	}
	switch {
	case e.Type == runner.StepStarted, e.Type == runner.Asked: // the end lists what waits
		return true
	case e.Type == runner.StepFinished && (e.Failure == nil || e.Status == steps.Cancelled):
		return true
	case e.Type == steps.CallFinished && e.Event.Status != tools.Denied && e.Event.Status != tools.Failed:
		return true
	}
	return said || n.isAlike(e)
}

// isAlike reports whether the same was told of another element, or that many failed, and counts it.
func (n *Narrator) isAlike(e runner.Event) bool {
	told := 1
	if e.Type == runner.StepFinished {
		told = 20
	}
	key := kindOf(e)
	if key != "" && len(n.alike) < maxAlike || n.alike[key] > 0 {
		note(&n.alike, key, n.alike[key]+1)
	}
	return key != "" && (n.alike[key] == 0 || n.alike[key] > told)
}

// kindOf names what happened to an element, in which step and why; "" for what is not told of elements.
func kindOf(e runner.Event) string {
	switch e.Type {
	case runner.StepFinished:
		return joined(e.Step, string(e.Failure.Kind))
	case steps.CallFinished:
		return joined(e.Step, string(e.Event.Status), e.Tool, e.Rule)
	case steps.Retry, steps.Warning:
		return joined(e.Step, string(e.Type))
	}
	return ""
}

// saidInside reports whether a unit failed because a step or an element in it did, which has said why, and
// notes its failure for the unit around it.
func (n *Narrator) saidInside(e runner.Event) bool {
	if e.Type != runner.StepFinished || e.Failure == nil {
		return false
	}
	place := Place(e)
	inside, some := n.inside[place]
	outer := around(place)
	delete(n.inside, place)
	if outer == "" {
		outer = place[:max(strings.LastIndexByte(place, '/'), 0)]
	}
	note(&n.inside, outer, e.Failure.Kind)
	return some && inside == e.Failure.Kind
}

// started says how much there is to do.
func started(e runner.Event) string {
	if e.Items != nil {
		return startedElements(e)
	}
	text := "started"
	if e.Label != "" {
		text += " with " + term.Shorten(term.Visible(e.Label), longestLabel)
	}
	if e.Round > 1 {
		text += fmt.Sprintf(", round %d", e.Round)
	}
	return text
}

// startedElements says how many elements there are to do and, in a resumed run, how many are kept.
func startedElements(e runner.Event) string {
	text := "started, " + quantity.Count(*e.Items, "element")
	kept := e.Earlier.Succeeded
	for _, n := range e.Earlier.Reasons {
		kept += n
	}
	if kept > 0 {
		text = fmt.Sprintf("resumed, %s of %s kept, %s to run", quantity.Thousands(kept), quantity.Count(*e.Items, "element"), quantity.Thousands(*e.Items-kept))
	}
	if e.LeftOut > 0 {
		text += ", " + quantity.Thousands(e.LeftOut) + " left out"
	}
	if e.Round > 1 {
		text += fmt.Sprintf(", round %d", e.Round)
	}
	return text
}

// call reports calls that failed or were denied.
func call(line Line, e steps.Event) []Line {
	switch e.Status {
	case tools.Denied:
		line.Word, line.Tone = "denied", term.Bad
		line.Text = " the call " + denied(e)
	case tools.Failed:
		line.Text = "the call `" + Call(e.Tool, e.Input) + "` failed: " + Brief(e.Error)
	default:
		return nil
	}
	return []Line{line}
}

// finished reports the result of a step and why it failed, unless a step or elements inside of it have
// said so. Why everything was cancelled is reported once, at the end.
func (n *Narrator) finished(line Line, e runner.Event, unit *Unit, said bool) []Line {
	line.Word, line.Tone = string(e.Status), toneOf(e.Status)
	if e.Status == steps.Skipped {
		return []Line{line}
	}
	if unit.Kind == workflows.KindEnd && e.Status == steps.Succeeded {
		return []Line{ended(line, unit, e.Message)}
	}
	line.Text = " in " + Took(e.Elapsed)
	if e.Status == steps.Stopped {
		line.Text += " (" + string(e.Reason) + ")"
	}
	if unit.Elements != nil && unit.Elements.Ended > 0 {
		line.Text, said = line.Text+", "+unit.Elements.ended(e.Counts), true
	}
	if e.Tolerated {
		line.Tone, line.Text = term.Doubtful, line.Text+", and the run continues"
	}
	if counts := unit.Counts.String(); counts != "" {
		line.Text += ": " + counts
	}
	if e.Failure == nil || said || e.Status == steps.Cancelled {
		return []Line{line}
	}
	if e.Index != nil && n.alike[kindOf(e)] > 1 {
		line.Text += "; " + Shortest(e.Failure.Message)
		return []Line{line}
	}
	lines := []Line{line}
	for _, text := range Ended(e.Failure.Message) {
		lines = append(lines, Line{Text: text})
	}
	if hint := n.Hint(e.Failure.Hint); hint != "" && (e.Tolerated || !Raises(hint)) {
		lines = append(lines, Line{Text: "  hint: " + Brief(hint)})
	}
	return lines
}

// ended reports what a step has ended, and why.
func ended(line Line, unit *Unit, why string) Line {
	around := "the run"
	if i := strings.LastIndexByte(unit.Place, '/'); i > 0 {
		around = term.Visible(unit.Place[:i])
	}
	line.Word = "ended " + around + " as succeeded"
	if why != "" {
		line.Text = ": " + Brief(why)
	}
	return line
}

// StatusWord returns the status of a step in words. continued says that its failure counts as success.
func StatusWord(s steps.Status, continued bool) string {
	if continued {
		return string(s) + ", continued"
	}
	return string(s)
}

// toneOf returns the tone for the status of a step or a run.
func toneOf(s steps.Status) term.Tone {
	switch s {
	case steps.Succeeded:
		return term.Good
	case steps.Skipped:
		return term.Faint
	case steps.Stopped, steps.Cancelled, steps.Waiting:
		return term.Doubtful
	}
	return term.Bad
}

// EndedBy says how something ended by the kind of its error.
func EndedBy(kind steps.Kind) string {
	switch kind {
	case steps.KindLimit, steps.KindBudget, steps.KindTimeout:
		return "was stopped"
	case steps.KindCancelled:
		return "was cancelled"
	}
	return "failed"
}

// FailureLines returns the step in which a run failed, and why; on a single line if told says
// that the step has reported the whole message.
func FailureLines(f *runner.Failure, told bool) []string {
	message := f.Message
	if f.Step != "" {
		message = fmt.Sprintf("step %q %s: %s", f.Step, EndedBy(f.Kind), message)
	}
	message = strings.TrimSpace(message)
	if told {
		return []string{Shortest(message)}
	}
	first, _, _ := strings.Cut(message, "\n")
	lines := Ended(message)
	return append([]string{Brief(first)}, lines[min(len(lines), 1):]...)
}
