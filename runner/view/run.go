// Package view turns the events and the records of a run into what people see: what it has
// used, how far it is, what runs now, what was denied. Whatever shows a run, during it or
// afterwards, as lines, as a page or as a file for a CI system, shows what is counted here.
//
//	run := new(view.Run)
//	options.Observe = func(e runner.Event) { run.Take(e) }
//
// A [Run] is a fold over a run's events, and so is a [Narrator], which puts them into words. A
// [Past] is a fold over the records of a run, which may have ended. None of them is safe for
// concurrent use: events come one at a time, and a caller that shows them in another goroutine
// has to lock.
//
// Texts are for a person, on one line each. Control characters in what models, tools and files
// say are escaped, so that nothing acts on a terminal; no text is markup.
package view

import (
	"slices"
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A Run has the counts of a run so far, from its events. The zero value has not begun.
type Run struct {
	Began time.Time // of the run; zero before that
	Counts
	Unasked bool // a call was denied because nobody could be asked

	units   map[string]*Unit
	running []*Unit // in the order in which they began
	denials denials // of this process
}

// Running returns what runs, in the order in which it began: first each foreach and the steps outside of
// any, and then what is inside. Units that only contain others are left out. The units belong to the Run,
// and change with the next event.
func (r *Run) Running() (running []*Unit) {
	var parts []*Unit
	for _, u := range r.running {
		switch {
		case u.Elements == nil && (u.Kind == workflows.KindGroup || u.Kind == workflows.KindUses):
		case u.Part:
			parts = append(parts, u)
		default:
			running = append(running, u)
		}
	}
	return append(running, parts...)
}

// Projected estimates what the run will have cost when each foreach that runs has ended; 0: too little is
// known.
func (r *Run) Projected() float64 {
	rest := 0.0
	for _, u := range r.running {
		if u.Elements != nil && !u.Part {
			rest += u.Elements.projected(u.CostUSD)
		}
	}
	if rest == 0 || r.Unpriced {
		return 0
	}
	return r.CostUSD + rest
}

// Take counts an event for its unit, for the foreach around it, and for the run. It returns the
// unit; nil for an event of the whole run. Events inside a turn may be left out.
func (r *Run) Take(e runner.Event) *Unit {
	if e.Type == runner.RunStarted {
		r.Began = e.Time
	}
	r.Unasked = r.Unasked || wasUnasked(e.Rule)
	if e.Step == "" || e.Block != nil { // of blocks there are very many events
		return nil
	}
	unit := r.unit(Place(e))
	counted := []*Counts{&unit.Counts, &r.Counts}
	for i, char := range unit.Place {
		if over := r.units[unit.Place[:i]]; char == '[' && over != nil {
			counted = append(counted, &over.Counts)
		}
	}
	foreach := r.units[around(unit.Place)]
	switch e.Type {
	case runner.StepStarted:
		unit.begin(e)
		if slices.Contains(r.running, unit) { // it starts over
			break
		}
		r.running = append(r.running, unit)
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
		r.denials.add(e.Step, unit.Name(), e.Event)
	}
	for _, c := range counted {
		count(c, e.Event)
	}
	unit.follow(e)
	return unit
}

// unit returns the unit in a place, and adds it at its first event.
func (r *Run) unit(place string) *Unit {
	if r.units[place] == nil {
		note(&r.units, place, &Unit{Place: place, Label: r.labelAround(place)})
	}
	return r.units[place]
}

// note sets a key of a map, which may be nil until then.
func note[K comparable, V any](all *map[K]V, key K, value V) {
	if *all == nil {
		*all = map[K]V{}
	}
	(*all)[key] = value
}

// labelAround returns the label of the nearest element around a place.
func (r *Run) labelAround(place string) string {
	for end := strings.LastIndexByte(place, '/'); end >= 0; end = strings.LastIndexByte(place[:end], '/') {
		if unit := r.units[place[:end]]; unit != nil && unit.Label != "" {
			return unit.Label
		}
	}
	return ""
}

// end counts what only the end of a unit says: its result leaves out unfinished turns and calls
// that were refused, and has what earlier processes did. Elements are forgotten, since there
// may be very many.
func (r *Run) end(unit *Unit, e runner.Event, counted []*Counts) {
	r.running = slices.DeleteFunc(r.running, func(other *Unit) bool { return other == unit })
	if e.Came != nil && unit.Kind == workflows.KindPrompt {
		more := e.Came.Minus(unit.Counts)
		for _, c := range counted {
			*c = c.Plus(more)
		}
	}
	unit.last, unit.wait = nil, wait{}
	if e.Index != nil {
		delete(r.units, unit.Place)
	}
}
