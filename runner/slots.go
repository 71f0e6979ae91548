package runner

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Slots bound how many steps and elements work at once in a whole run. Who
// asks first is served first.
type slots struct {
	mu      sync.Mutex
	free    int
	waiting []*ticket
}

// A ticket is a place in the line for a slot, or the slot. A nil ticket stands
// for work that needs none.
type ticket struct {
	slots   *slots
	granted chan struct{} // closed when the slot is the holder's
}

// queue takes the next place in the line.
func (s *slots) queue() *ticket {
	t := &ticket{slots: s}
	t.join()
	return t
}

// join takes the next place in the line for a ticket that has none.
func (t *ticket) join() {
	if t == nil {
		return
	}
	s := t.slots
	s.mu.Lock()
	defer s.mu.Unlock()
	t.granted = make(chan struct{})
	if s.free > 0 {
		s.free--
		close(t.granted)
	} else {
		s.waiting = append(s.waiting, t)
	}
}

// ready reports whether the holder need not wait.
func (t *ticket) ready() bool {
	if t == nil {
		return true
	}
	select {
	case <-t.granted:
		return true
	default:
		return false
	}
}

// wait waits for the slot. The error is the cause of ctx.
func (t *ticket) wait(ctx context.Context) error {
	if t == nil {
		return nil
	}
	select {
	case <-t.granted:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// rest gives the slot to others for a time, and waits for one again then. The
// error is the cause of ctx.
func (t *ticket) rest(ctx context.Context, d time.Duration) error {
	t.leave()
	err := sleep(ctx, d)
	t.join()
	if err != nil {
		return err
	}
	return t.wait(ctx)
}

// sleep waits. The error is the cause of ctx.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// leave gives the slot, or the place in the line, to the next one.
func (t *ticket) leave() {
	if t == nil {
		return
	}
	s := t.slots
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case !t.ready():
		s.waiting = slices.DeleteFunc(s.waiting, func(w *ticket) bool { return w == t })
	case len(s.waiting) > 0:
		close(s.waiting[0].granted)
		s.waiting = s.waiting[1:]
	default:
		s.free++
	}
}
