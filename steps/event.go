package steps

import (
	"encoding/json"
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
}
