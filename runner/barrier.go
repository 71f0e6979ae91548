package runner

import "sync"

// A barrier keeps new work from beginning in a resumed run until everything that earlier processes
// recorded is taken in, so that every list knows of a failure inside it first. It is closed until
// every goroutine of the run waits: at the barrier, or for the end of another one. The zero
// barrier is open.
type barrier struct {
	mu     sync.Mutex
	closed chan struct{} // nil: it is open
	busy   int           // goroutines that do not wait
}

// close closes the barrier, before anything runs.
func (b *barrier) close() { b.closed = make(chan struct{}) }

// enter counts a goroutine that does not wait: one that is about to begin, or to go on.
func (b *barrier) enter() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.busy++
}

// leave is called by a goroutine that is about to wait for the end of another one; that one enters
// for it when it ends.
func (b *barrier) leave() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.busy--; b.busy == 0 && b.closed != nil {
		close(b.closed)
		b.closed = nil
	}
}

// pass waits until the barrier is open.
func (b *barrier) pass() {
	b.mu.Lock()
	closed := b.closed
	b.mu.Unlock()
	if closed == nil {
		return
	}
	b.leave()
	<-closed
	b.enter()
}
