package runner

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/steps"
)

// Slots are for units that work, or for the elements of a foreach: there are as many as may do so at once.
// They are granted in the order in which their tickets were taken.
type slots struct {
	mu   sync.Mutex
	free int
	line []*ticket
}

// A ticket is a place in the line for a slot, and then the slot.
type ticket struct {
	slots   *slots
	granted chan struct{} // closed when the slot is granted
}

func newSlots(n int) *slots { return &slots{free: n} }

// ticket takes a place at the end of the line.
func (s *slots) ticket() *ticket {
	t := &ticket{s, make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.line = append(s.line, t)
	s.grant()
	return t
}

// grant gives free slots to those that have waited longest. mu is held.
func (s *slots) grant() {
	for s.free > 0 && len(s.line) > 0 {
		close(s.line[0].granted)
		s.line = s.line[1:]
		s.free--
	}
}

// wait waits for the slot, and tells of a wait that lasts. An error is the context's cause.
func (t *ticket) wait(ctx context.Context, tell func(steps.Event)) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	lasts := time.NewTimer(providers.HeldAfter)
	defer lasts.Stop()
	for {
		select {
		case <-lasts.C:
			tell(steps.Event{Type: steps.Held, HeldBy: steps.HeldBySlot})
			defer tell(steps.Event{Type: steps.Released})
		case <-t.granted:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// release gives the slot back, or the place in the line. Nil has neither.
func (t *ticket) release() {
	if t == nil {
		return
	}
	t.slots.mu.Lock()
	defer t.slots.mu.Unlock()
	if i := slices.Index(t.slots.line, t); i >= 0 {
		t.slots.line = slices.Delete(t.slots.line, i, i+1)
		return
	}
	t.slots.free++
	t.slots.grant()
}
