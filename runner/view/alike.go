package view

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/steps"
)

// An alike is a failure in a foreach that was reported, and a count of equal ones after it.
type alike struct {
	step, message string // without its numbers
	kind          steps.Kind
	first         string // the place of the one that was reported
	foreach       string // the place of the outermost foreach around it
	more          int    // how many there are
	names         []string
}

// mostNamed is how many equal failures are named rather than counted.
const mostNamed = 3

// isAlike reports whether the same step has failed in the same way in another element, which
// was reported. If so, it counts the failure.
func (n *Narrator) isAlike(e runner.Event, unit *Unit) bool {
	if n.Detail == All || unit == nil || !unit.Part || e.Type != runner.StepFinished || e.Failure == nil || e.Status == steps.Cancelled {
		return false
	}
	message := withoutNumbers(e.Failure.Message)
	for _, a := range n.alike {
		if a.step == e.Step && a.kind == e.Failure.Kind && a.message == message {
			if a.more++; a.more <= mostNamed {
				a.names = append(a.names, unit.Name())
			}
			return true
		}
	}
	if len(n.alike) < mostOften {
		foreach, _, _ := strings.Cut(unit.Place, "[")
		n.alike = append(n.alike, &alike{step: e.Step, message: message, kind: e.Failure.Kind, first: unit.Name(), foreach: foreach})
	}
	return false
}

var numbers = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(exit status |HTTP )?[0-9]+([.,:][0-9]+)*`) })

// withoutNumbers removes numbers, such as times and sizes, so that messages that differ in
// nothing else count as equal. The status of a command or of an answer remains: that is what
// went wrong.
func withoutNumbers(message string) string {
	return numbers().ReplaceAllStringFunc(message, func(number string) string {
		if number[0] == 'e' || number[0] == 'H' {
			return number
		}
		return ""
	})
}

// endAlike returns lines that count the equal failures in a foreach that has ended.
func (n *Narrator) endAlike(unit *Unit) (lines []Line) {
	if unit.Elements == nil || unit.Part {
		return nil
	}
	for _, a := range n.alike {
		if a.foreach == unit.Place && a.more > 0 {
			lines = append(lines, Line{Place: term.Visible(unit.Place), Text: a.String()})
		}
	}
	n.alike = slices.DeleteFunc(n.alike, func(a *alike) bool { return a.foreach == unit.Place })
	return lines
}

func (a *alike) String() string {
	text := fmt.Sprintf("… and %s more like %s", quantity.Thousands(a.more), a.first)
	if a.more <= mostNamed {
		text += ": " + strings.Join(a.names, ", ")
	}
	return text
}
