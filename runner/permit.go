package runner

import (
	"context"
	"sync"
)

// A permit lets an element be among those of its foreach that run at once. The element
// gives it up while everything in it that has begun and not ended waits for a person.
type permit struct {
	around *permit // of the element around the foreach; nil: there is none
	loop   chan<- elementNews
	index  int

	mu      sync.Mutex
	working int           // units in it that work
	resting int           // units in it that wait for a person
	free    bool          // it is given up
	back    chan struct{} // closed when the loop has given it back; nil: nobody asked
}

// begin is called by a unit in the element before it works. It waits until the permit is there again, if
// it was given up, and calls lets before it waits. An error is the context's cause.
func (p *permit) begin(ctx context.Context, lets func()) error {
	if p == nil {
		return nil
	}
	if err := p.around.begin(ctx, lets); err != nil {
		return err
	}
	p.mu.Lock()
	p.working++
	back, ask := p.back, p.free && p.back == nil
	if ask {
		back = make(chan struct{})
		p.back = back
	}
	p.mu.Unlock()
	if back != nil {
		lets()
	}
	if ask {
		p.loop <- elementNews{index: p.index, wants: p}
	}
	if back == nil {
		return nil
	}
	select {
	case <-back:
		return nil
	case <-ctx.Done():
		p.end(false)
		return context.Cause(ctx)
	}
}

// end is called when a unit that has begun in the element no longer works: it has ended or, with
// rests, waits for a person.
func (p *permit) end(rests bool) {
	if p == nil {
		return
	}
	p.mu.Lock()
	p.working--
	if rests {
		p.resting++
	}
	gives := p.working == 0 && p.resting > 0 && !p.free
	p.free = p.free || gives
	p.mu.Unlock()
	if gives {
		p.loop <- elementNews{index: p.index, gives: true}
	}
	p.around.end(rests)
}

// rested is called when a unit no longer waits for a person.
func (p *permit) rested() {
	for ; p != nil; p = p.around {
		p.mu.Lock()
		p.resting--
		p.mu.Unlock()
	}
}

// giveBack gives the permit back, unless whoever wanted it has ended meanwhile.
func (p *permit) giveBack() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.back)
	p.free, p.back = p.working == 0, nil
	return !p.free
}

// isFree reports whether the permit is given up.
func (p *permit) isFree() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.free
}
