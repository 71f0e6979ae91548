package runner

import (
	"context"
	"sync"

	"github.com/a-seed-11b9befa/flow/steps"
)

// A place lets an element be among those of its foreach that run at once. It is given back while everything
// in the element that has begun and not ended waits for a person. Nil has room for all.
type place struct {
	around *place // of the element around the foreach
	slots  *slots // of the foreach

	mu      sync.Mutex
	ticket  *ticket // nil: it is given back
	working int     // units in the element that work
	resting int     // units in it that wait for a person
}

// begin is called by a unit in the element before it works. It waits for the place if that was given back,
// and calls lets before it waits. An error is the context's cause.
func (p *place) begin(ctx context.Context, lets func()) error {
	if p == nil {
		return nil
	}
	if err := p.around.begin(ctx, lets); err != nil {
		return err
	}
	p.mu.Lock()
	p.working++
	if p.ticket == nil {
		p.ticket = p.slots.ticket()
	}
	ticket := p.ticket
	p.mu.Unlock()
	select {
	case <-ticket.granted:
		return nil
	default:
		lets()
	}
	err := ticket.wait(ctx, func(steps.Event) {})
	if err != nil {
		p.end(false)
	}
	return err
}

// end is called when a unit that has begun in the element no longer works: it has ended or, with
// rests, waits for a person.
func (p *place) end(rests bool) {
	for ; p != nil; p = p.around {
		p.mu.Lock()
		p.working--
		if rests {
			p.resting++
		}
		if p.working == 0 && p.resting > 0 {
			p.giveBack()
		}
		p.mu.Unlock()
	}
}

// rested is called when a unit no longer waits for a person.
func (p *place) rested() {
	for ; p != nil; p = p.around {
		p.mu.Lock()
		p.resting--
		p.mu.Unlock()
	}
}

// leave is called when the element has ended, or is left waiting.
func (p *place) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.giveBack()
}

// giveBack gives the slot back, or the place in the line for one. mu is held.
func (p *place) giveBack() {
	p.ticket.release()
	p.ticket = nil
}
