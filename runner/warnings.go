package runner

import "github.com/a-seed-11b9befa/flow/steps"

func warning(message string) steps.Event { return steps.Event{Type: steps.Warning, Message: message} }

// warnBeside emits a warning about what happens beside the steps, unless the run is over. It may be called while
// an event is emitted, by who observes that.
func (e *exec) warnBeside(message string) (inTime bool) {
	e.mu.Lock()
	if inTime = !e.ended; inTime {
		e.untold = append(e.untold, Event{Event: warning(message)})
	}
	e.mu.Unlock()
	if inTime && e.telling.TryLock() {
		e.telling.Unlock()
		e.tellAll()
	}
	return inTime
}
