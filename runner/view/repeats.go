package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

// A repeated counts what happened to a step in elements of a foreach for one reason, after it was
// reported for the first of them.
type repeated struct {
	step    string
	what    string // the reason, in words for several
	first   string // the unit that was reported
	foreach string // the place of the outermost foreach around it
	more    int    // how many there are besides
}

// repeats reports whether something that happened to an element was reported for another one, and
// counts it.
func (n *Narrator) repeats(e runner.Event, unit *Unit) bool {
	what := reasonFor(e)
	if what == "" {
		return false
	}
	for _, r := range n.repeated {
		if r.step == e.Step && r.what == what {
			r.more++
			return true
		}
	}
	foreach, _, _ := strings.Cut(unit.Place, "[")
	n.repeated = append(n.repeated, &repeated{step: e.Step, what: what, first: unit.Name(), foreach: foreach})
	return false
}

// reasonFor returns the reason by which what happened to elements is counted: the kind of a failure, or
// the tool and the rule of a call; "" for events that are not counted.
func reasonFor(e runner.Event) string {
	switch e.Type {
	case runner.StepFinished:
		return "elements failed (" + e.Failure.Kind.Words() + ")"
	case steps.CallFinished:
		if e.Event.Status == tools.Denied {
			return joined(fmt.Sprintf("calls of tool %q denied", e.Tool), Brief(e.Rule))
		}
		return fmt.Sprintf("calls of tool %q failed", e.Tool)
	case steps.Retry:
		return "retries"
	case steps.Warning:
		return "warnings"
	}
	return ""
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
				what = strings.NewReplacer("calls of ", "call of ", "elements ", "element ", "retries", "retry", "warnings", "warning").Replace(what)
			}
			text := fmt.Sprintf("… and %s more %s, as in step %q", quantity.Thousands(r.more), term.Visible(what), r.first)
			lines = append(lines, Line{Place: term.Visible(unit.Place), Text: text})
		}
	}
	n.repeated = slices.DeleteFunc(n.repeated, func(r *repeated) bool { return r.foreach == unit.Place })
	return lines
}
