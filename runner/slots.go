package runner

import (
	"context"
	"slices"
	"sync"
)

// Slots are for units that work: there are as many as may work at once. They are granted in the
// order in which their tickets were taken.
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

// wait waits for the slot. An error is the context's cause.
func (t *ticket) wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	default:
	}
	select {
	case <-t.granted:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
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

// A gate keeps new work from beginning in a resumed run until everything that earlier processes
// recorded is taken in, so that every list knows of a failure inside it first. It is closed until
// every goroutine of the run waits: at the gate, or for the end of another one. The zero gate is
// open.
type gate struct {
	mu     sync.Mutex
	closed chan struct{} // nil: it is open
	busy   int           // goroutines that do not wait
}

// close closes the gate, before anything runs.
func (g *gate) close() { g.closed = make(chan struct{}) }

// enter counts a goroutine that does not wait: one that is about to begin, or to go on.
func (g *gate) enter() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.busy++
}

// leave is called by a goroutine that is about to wait for the end of another one; that one enters
// for it when it ends.
func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.busy--; g.busy == 0 && g.closed != nil {
		close(g.closed)
		g.closed = nil
	}
}

// pass waits until the gate is open.
func (g *gate) pass() {
	g.mu.Lock()
	closed := g.closed
	g.mu.Unlock()
	if closed == nil {
		return
	}
	g.leave()
	<-closed
	g.enter()
}
