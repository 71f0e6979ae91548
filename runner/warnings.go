package runner

import (
	"sync"

	"github.com/a-seed-11b9befa/flow/steps"
)

// warnings emits warnings about what happens beside the steps, as long as events are emitted.
type warnings struct {
	lock sync.Mutex
	over bool
	emit func(*Event)
}

// tell emits a warning, and reports whether it was in time.
func (w *warnings) tell(message string) bool {
	w.lock.Lock()
	defer w.lock.Unlock()
	if !w.over {
		w.emit(&Event{Event: warning(message)})
	}
	return !w.over
}

func warning(message string) steps.Event { return steps.Event{Type: steps.Warning, Message: message} }

func (w *warnings) end() {
	w.lock.Lock()
	defer w.lock.Unlock()
	w.over = true
}

// attach lets the caller emit warnings until end is called.
func (r *run) attach() (end func()) {
	w := &warnings{emit: r.emit}
	if r.Attach != nil {
		r.Attach(w.tell)
	}
	return w.end
}
