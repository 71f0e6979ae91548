package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/internal/toolname"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

// A narrator tells events in lines for a person: those that somebody who
// watches a run, or reads its log, would want.
type narrator struct {
	paint term.Painter
	*tallies
}

func newNarrator(paint term.Painter) *narrator { return &narrator{paint: paint, tallies: newTallies()} }

// lines counts the event and returns what it says; mostly nothing.
func (n *narrator) lines(e runner.Event) []string {
	n.take(e)
	switch e.Type {
	case runner.RunStarted:
		return []string{fmt.Sprintf("%s: run %s", term.Visible(e.Workflow), e.RunID)}
	case runner.StepStarted, runner.StepFinished, steps.CallFinished, steps.Retry, steps.Warning:
		return n.linesOf(e)
	}
	return nil
}

// linesOf is what an event that may say something says.
func (n *narrator) linesOf(e runner.Event) []string {
	place := term.Visible(placeOf(e))
	if e.Step != "" {
		place += ": "
	}
	switch e.Type {
	case runner.StepStarted:
		return []string{place + n.paint.Dim(started(e))}
	case runner.StepFinished:
		return n.finished(place, e)
	case steps.CallFinished:
		return n.call(place, e.Event)
	case steps.Retry:
		return []string{place + n.paint.Yellow("retry") + fmt.Sprintf(" in %s, attempt %d: %s", took(e.Wait), e.Attempt, brief(e.Event.Error))}
	case steps.Warning:
		return []string{place + n.paint.Yellow("warning") + ": " + brief(joined(e.Message, e.Event.Error))}
	}
	return nil
}

// started tells how much there is to do.
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
func (n *narrator) call(place string, e steps.Event) []string {
	switch e.Status {
	case tools.Denied:
		return []string{place + n.paint.Red("denied") + " " + describeCall(e.Tool, e.Input) + because(e.Rule, reasonOf(e))}
	case tools.Failed:
		return []string{place + "call failed: " + describeCall(e.Tool, e.Input) + ": " + brief(e.Error)}
	}
	return nil
}

// reasonOf is why a call was denied, without what the line says already.
func reasonOf(e steps.Event) string {
	reason := strings.TrimPrefix(e.Error, "Denied: ")
	var arguments map[string]any
	if json.Unmarshal(e.Input, &arguments) == nil {
		reason = strings.TrimPrefix(reason, fmt.Sprintf("%s %q: ", e.Tool, arguments[toolname.MainArgument(e.Tool)]))
	}
	return strings.TrimSuffix(reason, ".")
}

// because names the rule that denied a call, or why there is none that allows
// it.
func because(rule, reason string) string {
	if rule == "" {
		rule = reason
	}
	if rule == "" {
		return ""
	}
	return " (" + brief(rule) + ")"
}

// finished tells what a step came to and, where it was no foreach whose elements
// have told theirs, why it failed. Why all that ran was cancelled is told once, at
// the end.
func (n *narrator) finished(place string, e runner.Event) []string {
	line := place + n.status(e.Status)
	if e.Status == steps.Skipped {
		return []string{line}
	}
	line += " in " + took(e.Elapsed)
	if e.Status == steps.Stopped {
		line += ", " + string(e.Reason)
	}
	t := n.at(placeOf(e))
	if t.elements > 0 {
		line += ", " + t.ofElements()
		if t.failed > 0 {
			line += fmt.Sprintf(", %d of them not succeeded", t.failed)
		}
	}
	if amounts := t.amounts(); amounts != "" {
		line += ": " + amounts
	}
	lines := []string{line}
	if e.Failure != nil && t.elements == 0 && e.Status != steps.Cancelled {
		n.told[e.Failure.Message] = true
		lines = append(lines, quoted(e.Failure.Message)...)
		if e.Failure.Hint != "" {
			lines = append(lines, "  hint: "+term.Visible(e.Failure.Hint))
		}
	}
	return lines
}

func (n *narrator) status(s steps.Status) string {
	switch s {
	case steps.Succeeded:
		return n.paint.Green(string(s))
	case steps.Skipped:
		return n.paint.Dim(string(s))
	case steps.Stopped, steps.Cancelled:
		return n.paint.Yellow(string(s))
	}
	return n.paint.Red(string(s))
}

// brief is a text of a model, a tool or a service on one line of bounded
// length. What is wrong often stands at its end, so that is kept too.
func brief(text string) string {
	const longest, tail = 240, 100
	text = term.Visible(strings.TrimSpace(text))
	runes := []rune(text)
	if len(runes) <= longest {
		return text
	}
	return string(runes[:longest-tail-3]) + " … " + string(runes[len(runes)-tail:])
}

// quoted is such a text on lines of its own, of which there are not many.
func quoted(text string) []string {
	const most = 12
	var lines []string
	for line := range strings.Lines(strings.TrimSpace(text)) {
		if len(lines) == most {
			return append(lines, "  | …")
		}
		lines = append(lines, "  | "+brief(strings.TrimRight(line, "\r\n")))
	}
	return lines
}

// joined puts what is given of the parts on one line.
func joined(parts ...string) string {
	var given []string
	for _, part := range parts {
		if part != "" {
			given = append(given, part)
		}
	}
	return strings.Join(given, ": ")
}

// since is the time from began to now, for what has begun.
func since(began, now time.Time) time.Duration {
	if began.IsZero() {
		return 0
	}
	return now.Sub(began)
}
