package runner

import (
	"sync"

	"github.com/a-seed-11b9befa/flow/steps"
)

func warning(message string) steps.Event { return steps.Event{Type: steps.Warning, Message: message} }

// attach lets the caller emit warnings about what happens beside the steps until end is called.
func (e *exec) attach() (end func()) {
	var lock sync.Mutex
	over := false
	if e.Attach != nil {
		e.Attach(func(message string) (inTime bool) {
			lock.Lock()
			defer lock.Unlock()
			if !over {
				e.tell(Event{Event: warning(message)})
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
