package view

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

// A repeated counts what happened to elements of a foreach for one reason, after it was reported for
// the first of them.
type repeated struct {
	reason
	what    string // in words
	first   string // the unit that was reported
	foreach string // the place of the outermost foreach around it
	more    int    // how many there are besides
}

// maxRepeated is how many reasons are told apart; what happens for others is counted by the type of
// its event.
const maxRepeated = 200

// repeats reports whether something that happened to an element was reported for another one, and
// counts it.
func (n *Narrator) repeats(e runner.Event, unit *Unit) bool {
	what, message := wordsOf(e)
	if what == "" {
		return false
	}
	why := reason{e.Step, what + "\n" + message}
	if len(n.repeated) >= maxRepeated && n.repeatedFor(why) == nil {
		why.message = string(e.Type)
	}
	if r := n.repeatedFor(why); r != nil {
		r.more++
		return true
	}
	first, name := Place(e), term.Visible(Place(e))
	if unit != nil {
		first, name = unit.Place, unit.Name()
	}
	foreach, _, _ := strings.Cut(first, "[")
	n.repeated = append(n.repeated, &repeated{reason: why, what: what, first: name, foreach: foreach})
	return false
}

func (n *Narrator) repeatedFor(why reason) *repeated {
	i := slices.IndexFunc(n.repeated, func(r *repeated) bool { return r.reason == why })
	if i < 0 {
		return nil
	}
	return n.repeated[i]
}

// failedBefore reports whether failures of a step in several elements were reported.
func (n *Narrator) failedBefore(step string) bool {
	failures := 0
	for _, r := range n.repeated {
		if r.step == step && strings.HasPrefix(r.what, "failed ") {
			failures++
		}
	}
	return failures > 1
}

// wordsOf says what happened to an element, in the words in which several are counted, and with which
// message; "" for events that are not counted.
func wordsOf(e runner.Event) (what, message string) {
	switch e.Type {
	case runner.StepFinished:
		what := "failed (" + e.Failure.Kind.Words() + ")"
		if e.Failure.Kind == steps.KindCheckFailed { // its words are those of each element
			return what, ""
		}
		return what, e.Failure.Message
	case steps.CallFinished:
		if e.Event.Status == tools.Denied {
			return "calls of " + e.Tool + " denied" + because(e.Rule, reasonOf(e.Event)), ""
		}
		return "calls of " + e.Tool + " failed", ""
	case steps.Retry:
		return "retries", ""
	case steps.Warning:
		return "warnings", strings.Map(func(r rune) rune {
			if unicode.IsDigit(r) { // warnings that differ in their numbers are one
				return -1
			}
			return r
		}, e.Message+e.Event.Error)
	}
	return "", ""
}

// repeatsIn returns lines that count what happened again in a foreach that has ended.
func (n *Narrator) repeatsIn(unit *Unit) (lines []Line) {
	if unit.Elements == nil || unit.Part {
		return nil
	}
	for _, r := range n.repeated {
		if r.foreach == unit.Place && r.more > 0 {
			what := r.what
			if r.more == 1 {
				what = strings.NewReplacer("calls of ", "call of ", "retries", "retry", "warnings", "warning").Replace(what)
			}
			like := "as in"
			if strings.HasPrefix(what, "failed ") {
				like = "for the same reason as"
			}
			text := fmt.Sprintf("… and %s more %s, %s %s", quantity.Thousands(r.more), term.Visible(what), like, r.first)
			lines = append(lines, Line{Place: term.Visible(unit.Place), Text: text})
		}
	}
	n.repeated = slices.DeleteFunc(n.repeated, func(r *repeated) bool { return r.foreach == unit.Place })
	return lines
}
