package view

import (
	"cmp"
	"fmt"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A Unit is a step, or an element of one: where it stands.
type Unit struct {
	Place string         // as [Place] names it
	Kind  workflows.Kind // "" before it began
	Began time.Time      // zero before it began
	Turn  int            // of the conversation, from 1; 0 outside of one
	Label string         // of an element, and of what is inside of one: what that is called; "" where nothing says it
	Part  bool           // of a foreach: an element, or what is inside of one
	Counts

	// Elements are the elements of a foreach; nil for any other unit. The counts include
	// theirs.
	Elements *Elements

	last *steps.Event // the call that runs, or what is waited for
}

// begin begins the unit, or begins it anew.
func (u *Unit) begin(e runner.Event) {
	*u = Unit{Place: u.Place, Kind: workflows.Kind(e.StepKind), Began: e.Time, Label: cmp.Or(e.Label, u.Label), Part: e.Index != nil}
	if e.Items != nil {
		u.Elements = &Elements{Of: *e.Items, began: e.Time, Ended: e.Earlier.Succeeded, Reasons: Reasons{}}
		for reason, n := range e.Earlier.Reasons {
			u.Elements.Reasons[string(reason)] = n
			u.Elements.Failed += n
		}
		u.Elements.Ended += u.Elements.Failed
		u.Elements.earlier = u.Elements.Ended
	}
}

// follow keeps what is being done.
func (u *Unit) follow(e steps.Event) {
	switch e.Type {
	case steps.TurnStarted:
		u.Turn, u.last = e.Turn, nil
	case steps.CallRunning, steps.Retry, runner.Asked:
		last := e
		u.last = &last
	case steps.CallFinished:
		if u.last != nil && u.last.CallID == e.CallID {
			u.last = nil
		}
	}
}

// Name is the place, and what an element is called: pages[3] (src/a.go).
func (u *Unit) Name() string {
	if u.Label == "" {
		return term.Visible(u.Place)
	}
	return term.Visible(u.Place) + " (" + term.Shorten(Brief(u.Label), longestLabel) + ")"
}

const longestLabel = 60 // characters

// Doing says what the unit does now, as "turn 2: bash ls", or how far it is; ""
// where that is not known.
func (u *Unit) Doing(now time.Time) string {
	if u.Elements != nil {
		return u.Elements.Progress(now)
	}
	var last string
	switch {
	case u.last == nil:
	case u.last.Type == steps.Retry:
		last = fmt.Sprintf("waits %v to ask again", u.last.Wait.Round(time.Second))
	case u.last.Type == runner.Asked:
		last = "waits for a person"
	default:
		last = Call(u.last.Tool, u.last.Input)
	}
	if u.Turn == 0 {
		return last
	}
	return joined(fmt.Sprintf("turn %d", u.Turn), last)
}
