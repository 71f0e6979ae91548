package runner

import "sync"

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
