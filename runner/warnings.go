package runner

import (
	"sync"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
)

func warning(message string) steps.Event { return steps.Event{Type: steps.Warning, Message: message} }

// attach lets the caller emit warnings about what happens beside the steps until end is called.
func (r *run) attach() (end func()) {
	var lock sync.Mutex
	over := false
	if r.Attach != nil {
		r.Attach(func(message string) (inTime bool) {
			lock.Lock()
			defer lock.Unlock()
			if !over {
				r.emit(&Event{Event: warning(message)})
			}
			return !over
		})
	}
	return func() {
		lock.Lock()
		defer lock.Unlock()
		over = true
	}
}

// A note is a warning about a unit, or the run.
type note struct {
	unit    journal.Unit
	message string
}

// note lets a warning be emitted before the next event. The exec's mu may be held.
func (e *exec) note(u journal.Unit, message string) {
	e.noting.Lock()
	defer e.noting.Unlock()
	e.notes = append(e.notes, note{u, message})
}

// tellNotes emits the warnings of note.
func (e *exec) tellNotes() {
	e.noting.Lock()
	notes := e.notes
	e.notes = nil
	e.noting.Unlock()
	for _, n := range notes {
		of := whereIs(n.unit)
		e.emit(&Event{Unit: of.unit, Step: of.path, Index: of.index, Round: of.round, Place: of.place, Event: warning(n.message)})
	}
}
