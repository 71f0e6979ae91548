package steps

import (
	"fmt"
	"sync"

	"github.com/a-seed-11b9befa/flow/providers"
)

// observer passes on events one at a time, even from calls that run concurrently.
type observer struct {
	mu    sync.Mutex
	quiet bool // drops events, during a replay
	event func(Event)
}

func (o *observer) observe(e Event) {
	if o.event == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.quiet {
		o.event(e)
	}
}

// warn emits a warning: not a failure, but perhaps the reason for a later one.
func (o *observer) warn(turn int, message string) {
	o.observe(Event{Type: Warning, Turn: turn, Message: message})
}

// relayed returns the event for a model's event. Any other type is a fallback.
func relayed(turn int, e providers.Event) Event {
	index := e.Index // so that not all of e is kept
	switch e.Type {
	case providers.BlockStarted:
		return Event{Type: BlockStarted, Turn: turn, Block: &index, Kind: string(e.Block.Type), CallID: e.Block.ID, Tool: e.Block.Name}
	case providers.BlockDelta:
		return Event{Type: BlockDelta, Turn: turn, Block: &index, Delta: e.Delta}
	case providers.BlockFinished:
		event := Event{Type: BlockFinished, Turn: turn, Block: &index, Kind: string(e.Block.Type)}
		for _, block := range recordable([]providers.Block{e.Block}) { // one at most
			event.Value = &block
		}
		return event
	case providers.Retried:
		return Event{Type: Retry, Turn: turn, Attempt: e.Attempt, Wait: e.Wait, Error: text(e.Err)}
	}
	message := "falling back to another model"
	if e.Model != "" {
		message = "falling back to " + e.Model
	}
	if e.LeftOut > 0 {
		message += fmt.Sprintf(", without %d blocks of reasoning, which only the earlier model understands", e.LeftOut)
	}
	return Event{Type: Warning, Turn: turn, Model: e.Model, Message: message, Error: text(e.Err)}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
