package steps

import (
	"encoding/json"
	"sync"
	"time"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/tools"
)

// EventType is the type of an [Event] in the event stream.
type EventType string

// The types of events inside a step.
const (
	TurnStarted   EventType = "turn_started"
	BlockStarted  EventType = "block_started"
	BlockDelta    EventType = "block_delta"
	BlockFinished EventType = "block_finished"
	TurnFinished  EventType = "turn_finished" // the model's answer is complete; its calls have not run yet
	CallPending   EventType = "call_pending"
	CallRunning   EventType = "call_running"
	CallFinished  EventType = "call_finished"
	Retry         EventType = "retry"
	Warning       EventType = "warning"
	Held          EventType = "held"     // what comes next waits its turn, and has for a moment
	Released      EventType = "released" // it no longer does
)

// Event is something that happened inside a step. Fields that do not apply are zero, and
// absent in JSON.
type Event struct {
	Type EventType `json:"-"`
	Turn int       `json:"turn,omitempty"`

	// Of blocks:
	Block *int             `json:"block,omitempty"` // its index in the answer
	Kind  string           `json:"block_type,omitempty"`
	Delta string           `json:"delta,omitempty"`
	Value *providers.Block `json:"value,omitempty"` // the whole block, with block_finished

	// Of turns, and of answers that broke off:
	Model  string           `json:"model,omitempty"`
	Finish string           `json:"finish,omitempty"`
	Usage  *providers.Usage `json:"usage,omitempty"`
	Cost   *float64         `json:"cost_usd,omitempty"`

	// Of a turn whose answer came from the cache:
	Cached bool     `json:"cached,omitempty"`
	Saved  *float64 `json:"saved_usd,omitempty"` // what it would have cost; nil if that is not known

	// Of calls:
	CallID    string          `json:"call_id,omitempty"`
	Tool      string          `json:"tool,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	Status    tools.Status    `json:"status,omitempty"`
	Duration  time.Duration   `json:"-"` // written as duration_ms
	Rule      string          `json:"rule,omitempty"`
	Truncated bool            `json:"truncated,omitempty"`

	// Of calls that did not succeed, retries and warnings:
	Error   string        `json:"error,omitempty"`
	Attempt int           `json:"attempt,omitempty"`
	Wait    time.Duration `json:"-"` // written as wait_ms
	Message string        `json:"message,omitempty"`

	// Of held:
	HeldBy Hold      `json:"held_by,omitempty"`
	Until  time.Time `json:"until,omitzero"` // at least; zero if that is not known
}

// A Hold is what a step or a request waits for.
type Hold string

// The holds.
const (
	HeldByRate    Hold = "rate_limit"   // of the service
	HeldByService Hold = "max_requests" // as many requests to the service are in flight as may be
	HeldBySlot    Hold = "max_parallel" // as many steps and elements work as may
	HeldByBudget  Hold = "budget"       // what requests in flight may use leaves no room for another one
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
		return Event{Type: Retry, Turn: turn, Attempt: e.Attempt, Wait: e.Wait, Error: errorText(e.Err)}
	case providers.Held:
		if e.Until.IsZero() {
			return Event{Type: Held, Turn: turn, HeldBy: HeldByService}
		}
		return Event{Type: Held, Turn: turn, HeldBy: HeldByRate, Until: e.Until}
	case providers.Admitted:
		return Event{Type: Released, Turn: turn}
	}
	message := "falling back to another model"
	if e.Model != "" {
		message = "falling back to " + e.Model
	}
	return Event{Type: Warning, Turn: turn, Model: e.Model, Message: message, Error: errorText(e.Err)}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
