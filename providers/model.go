// Package providers says what a model is to flow: one interface, messages made
// of blocks, usage, errors, and what wraps any model alike (retry, rate limit,
// fallback). The packages below it speak one wire format each; none of them is
// imported here.
//
// A model answers one request with a stream of block events and, at the end,
// the whole message:
//
//	answer, err := model.Stream(ctx, providers.Request{
//		Messages: []providers.Message{providers.UserText("Say hello.")},
//	}, func(e providers.Event) { fmt.Print(e.Delta) })
//
// The message that comes back is appended to the conversation as it is: what
// its provider needs back unchanged is kept in its blocks.
package providers

import (
	"context"
	"encoding/json"
	"time"
)

// A Model answers requests. It is safe for concurrent use.
type Model interface {
	// Stream sends req and calls emit, one call at a time and never after it
	// has returned, for what comes in. It returns the whole answer, or an
	// error that [KindOf] can tell. With an error the answer holds what had
	// come until then, for the record only: it must not be acted on. A stream
	// that ends without its provider's sign of the end is an error.
	Stream(ctx context.Context, req Request, emit func(Event)) (Message, error)

	// Info describes the model and what it can do.
	Info() Info
}

// Info is what is known of a model without asking it.
type Info struct {
	Ref      string // provider/model, as a workflow names it
	Provider string // the name of the service; Raw goes back to the same one only
	Context  int64  // the model's window in tokens, in and out; 0 where it is not known

	// StructuredOutput says that Request.Output is obeyed, together with tools
	// too. Without it the caller offers a tool that takes the result.
	StructuredOutput bool

	// StructuredAlone says that it is obeyed where no tools are offered.
	StructuredAlone bool
}

// Obeys reports whether the model obeys Request.Output, beside tools or without
// any.
func (i Info) Obeys(tools bool) bool {
	return i.StructuredOutput || i.StructuredAlone && !tools
}

// A Request is one turn asked of a model. It is read-only to the model.
type Request struct {
	System   string // the system prompt; none when empty
	Messages []Message
	Tools    []ToolSpec
	NoTools  bool    // the tools are shown for the conversation's sake, and must not be called
	Force    string  // the name of the one tool that must be called; none when empty
	Output   *Output // the form that the final text must have; free when nil
	Result   string  // the name of the tool that takes the result in place of a text; none when empty
	Params   Params

	// Conversation is the same for all requests of one, and for no other's. That
	// of a run's steps is Step with all indexes, rounds and attempts, by which
	// scripts have turns: pages/3@attempt-2.
	Conversation string
	Taken        int    // requests of the conversation that an earlier process had answered; retried ones count, too
	Step         string // the path of the step that asks (group/inner), for scripts and records
	Prompt       string // the step's own prompt, as it was rendered
}

// An Output asks for a text that is JSON and fits a schema.
type Output struct {
	Name   string // [a-zA-Z0-9_-]{1,64}
	Schema json.RawMessage
}

// A ToolSpec describes a tool to a model that may call it.
type ToolSpec struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"` // JSON Schema of an object
}

// Params are sampling parameters. What is nil, zero or empty is left to the
// service.
type Params struct {
	Temperature     *float64
	TopP            *float64
	MaxOutputTokens int
	Seed            *int64
	ReasoningEffort string // low, medium or high
	ReasoningBudget int    // in tokens
}

// Effort returns the effort of reasoning that is asked for, for services that
// know no budget: one of up to 4,096 tokens is low, of up to 16,384 medium. It
// is empty when nothing was asked.
func (p Params) Effort() string {
	const low, medium = 4_096, 16_384
	switch budget := p.ReasoningBudget; {
	case p.ReasoningEffort != "":
		return p.ReasoningEffort
	case budget <= 0:
		return ""
	case budget <= low:
		return "low"
	case budget <= medium:
		return "medium"
	}
	return "high"
}

// EventType is the kind of an [Event].
type EventType int

// The types of events. A block's events come in order: started, deltas,
// finished. After a Retried event the answer starts again from its beginning.
const (
	BlockStarted EventType = iota
	BlockDelta
	BlockFinished
	Retried  // a request was refused, and will be made again
	FellBack // a model was given up, and the next one is asked: the answer starts again, too
)

// An Event is one piece of an answer that is coming in, or news of the request
// itself.
type Event struct {
	Type  EventType
	Index int    // of the block, in the answer
	Block Block  // started: its type, id and name as far as known; finished: the whole of it
	Delta string // delta: more of the block's text or arguments

	Attempt int           // retried: the number of the attempt that failed, from 1
	Wait    time.Duration // retried: until the next one
	Err     error         // retried, fell back: why
	Broken  *Message      // retried, fell back: what had come of the answer, whose Usage is paid for
	Model   string        // fell back: the reference of the model that is asked now
	LeftOut int           // fell back: blocks of the conversation that it does not get, since only their own provider understands them
}
