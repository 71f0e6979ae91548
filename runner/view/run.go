// Package view says what the events of a run come to: what it has used, how far it
// is, what runs now, what was denied. It is the only place that counts: whatever
// shows a run, while it goes on or afterwards, as lines, as a page or as a file for
// a CI system, shows what is counted here.
//
//	run := view.NewRun()
//	options.Observe = func(e runner.Event) { run.Take(e) }
//
// A [Run] is the fold of a run's events, and so is a [Narrator], which puts them in
// words; a [Report] is what is told of a run that has ended. They have no clock but
// that of the events, read nothing and start nothing, and are not safe for
// concurrent use: events come one at a time. Who shows them in another goroutine
// locks both.
//
// Texts are for a person, on one line each. What models, tools and files said is in
// them with its control characters escaped: there is nothing that acts on a
// terminal, and no markup is meant.
package view

import (
	"slices"
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A Run is what the events of a run have come to so far.
type Run struct {
	Began time.Time // of the run; zero before that
	Counts
	Unasked bool // a call was denied because nobody could be asked

	units    map[string]*Unit
	running  []*Unit // in the order in which they began
	foreachs []*Unit // those of them that have elements
	denials  denials
	denied   int // calls, since this process began: Denied has those of earlier ones too
}

// NewRun returns a run that has not begun.
func NewRun() *Run { return &Run{units: map[string]*Unit{}} }

// Running are the units that run, in the order in which they began: steps first, and
// then what is inside of those that are a foreach. They belong to the Run: what they
// say changes with the next event, so that who shows them elsewhere takes it along.
func (r *Run) Running() []*Unit {
	isPart := func(u *Unit) bool { return u.Part }
	parts := slices.DeleteFunc(slices.Clone(r.running), func(u *Unit) bool { return !isPart(u) })
	return append(slices.DeleteFunc(slices.Clone(r.running), isPart), parts...)
}

// Take counts an event: for its unit, for the foreach around it, for the run. It
// returns the unit, and nil for an event of the whole run. Events inside a turn are
// not needed.
func (r *Run) Take(e runner.Event) *Unit {
	if e.Type == runner.RunStarted {
		r.Began = e.Time
	}
	r.Unasked = r.Unasked || WasUnasked(e.Rule)
	if e.Step == "" || e.Type == steps.BlockDelta { // of which there are very many
		return nil
	}
	unit := r.unit(Place(e))
	counted := []*Counts{&unit.Counts, &r.Counts}
	foreach := r.units[around(unit.Place)]
	if foreach != nil {
		counted = append(counted, &foreach.Counts)
	}
	switch e.Type {
	case runner.StepStarted:
		unit.begin(e)
		if slices.Contains(r.running, unit) { // it begins anew
			break
		}
		r.running = append(r.running, unit)
		if unit.Elements != nil {
			r.foreachs = append(r.foreachs, unit)
		}
		if foreach != nil && foreach.Elements != nil {
			foreach.Elements.Running++
		}
	case runner.StepFinished:
		if foreach != nil && foreach.Elements != nil {
			foreach.Elements.end(e)
			if slices.Contains(r.running, unit) {
				foreach.Elements.Running--
			}
		}
		r.end(unit, e, counted)
	}
	if e.Event.Status == tools.Denied {
		r.deny(e)
	}
	for _, c := range counted {
		c.add(e.Event)
	}
	unit.follow(e.Event)
	return unit
}

// unit is the unit in a place, which is there when it is first heard of.
func (r *Run) unit(place string) *Unit {
	if r.units[place] == nil {
		r.units[place] = &Unit{Place: place, Label: r.labelAround(place)}
	}
	return r.units[place]
}

// labelAround is the label of the nearest element that the unit in a place is in.
func (r *Run) labelAround(place string) string {
	for end := strings.LastIndexByte(place, '/'); end >= 0; end = strings.LastIndexByte(place[:end], '/') {
		if unit := r.units[place[:end]]; unit != nil && unit.Label != "" {
			return unit.Label
		}
	}
	return ""
}

// end counts what only the end of a unit says: its result leaves out last turns,
// and calls that were refused, and has what earlier processes did. Elements are
// forgotten, for there may be very many.
func (r *Run) end(unit *Unit, e runner.Event, counted []*Counts) {
	r.running = slices.DeleteFunc(r.running, func(other *Unit) bool { return other == unit })
	if e.Came != nil && unit.Kind == workflows.KindPrompt {
		more := CountsOf(e.Came).minus(unit.Counts)
		for _, c := range counted {
			*c = c.plus(more)
		}
	}
	unit.last = nil
	if unit.Elements != nil {
		r.foreachs = slices.DeleteFunc(r.foreachs, func(other *Unit) bool { return other == unit })
	}
	if e.Index != nil {
		delete(r.units, unit.Place)
	}
}
