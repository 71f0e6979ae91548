// Package providers defines models for flow: one interface, messages of blocks, usage,
// errors, and wrappers for any model (retry, rate limit, fallback). The packages below it
// implement one wire format each; none of them is imported here.
//
// A model answers one request with a stream of block events and, at the end,
// the whole message:
//
//	answer, err := model.Stream(ctx, providers.Request{
//		Messages: []providers.Message{providers.UserText("Say hello.")},
//	}, func(e providers.Event) { fmt.Print(e.Delta) })
//
// Append the returned message to the conversation as it is: its blocks contain what its
// provider needs back unchanged.
package providers

import (
	"context"
	"encoding/json"
	"time"
)

// A Model answers requests. It is safe for concurrent use.
type Model interface {
	// Stream sends req and calls emit for each event, one call at a time and never after it
	// has returned. It returns the whole answer, or an error for [KindOf]. With an error the
	// answer is what had come until then, for the record only: don't act on it. A stream
	// that ends without its provider's mark of the end is an error. An answer says why it
	// ends ([Message].Finish), and of what type each of its blocks is. It returns when ctx is
	// done: the step, and the run, wait for it.
	Stream(ctx context.Context, req Request, emit func(Event)) (Message, error)

	// Info describes the model and what it can do.
	Info() Info
}

// A Cacher is a model that may answer requests without a service.
type Cacher interface {
	// Cached reports whether Stream asks no service to answer req: its answer is cached, or no
	// service may be asked. It makes no difference what [Params].MaxOutputTokens is set to later.
	Cached(req Request) bool
}

// Cached reports whether m is a [Cacher] that asks no service to answer req.
func Cached(m Model, req Request) bool {
	c, is := m.(Cacher)
	return is && c.Cached(req)
}

// Info is what is known of a model without a request.
type Info struct {
	Ref      string // provider/model, as a workflow names it
	Provider string // the name of the service; only the same one gets Raw back
	Context  int64  // the model's window in tokens, in and out; 0: unknown

	// StructuredOutput says that the model follows Request.Output, also together with
	// tools. Without it the caller offers a tool for the result.
	StructuredOutput bool

	// StructuredAlone says that the model follows it where no tools are offered.
	StructuredAlone bool
}

// Obeys reports whether the model follows Request.Output, with tools or without.
func (i Info) Obeys(tools bool) bool {
	return i.StructuredOutput || i.StructuredAlone && !tools
}

// A Request asks a model for one turn. The model only reads it.
type Request struct {
	System   string // the system prompt; none when empty
	Messages []Message
	Tools    []ToolSpec
	NoTools  bool    // Tools must not be called; they are there because the conversation has calls of them
	Force    string  // the name of the only tool, which must be called; none when empty
	Output   *Output // the form of the final text; nil: any
	Result   string  // the name of the tool that takes the result instead of a text; none when empty
	Params   Params

	// Conversation identifies the conversation. For a step of a run it is the address of the
	// attempt, by which scripts find turns: pages[3]~2.
	Conversation string
	Taken        int    // requests of the conversation that an earlier process made, with retries
	Step         string // the path of the step (group/inner), for scripts and records
	Prompt       string // the step's prompt, rendered
}

// An Output asks for a text that is JSON and matches a schema.
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

// Params are sampling parameters. The service decides those that are nil, zero or empty.
type Params struct {
	Temperature     *float64
	TopP            *float64
	MaxOutputTokens int
	Seed            *int64
	ReasoningEffort string // one of [Efforts]
	ReasoningBudget int    // in tokens
}

// Efforts returns the efforts of reasoning, the least first. No model has all of them.
func Efforts() []string {
	return []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}
}

// Effort returns the effort of reasoning for services without budgets: a budget of up to
// 4,096 tokens is low, of up to 16,384 medium. It is empty where neither is set.
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

// The types of events. A block's events come in order: started, deltas, finished. After
// Retried and FellBack the answer starts again from its beginning.
const (
	BlockStarted EventType = iota
	BlockDelta
	BlockFinished
	Retried  // a request failed, and will be made again
	FellBack // a model failed, and the next one is asked
	Held     // the request has waited for a moment to be admitted: see [Limit]
	Admitted // a request that was held is made now
)

// An Event is a part of an answer, or about the request itself.
type Event struct {
	Type  EventType
	Index int    // of the block, in the answer
	Block Block  // started: its type, and its id and name if known; finished: all of it
	Delta string // delta: more of the block's text or arguments

	Attempt int           // retried: the number of the attempt that failed, from 1
	Wait    time.Duration // retried: until the next one
	Err     error         // retried, fell back: why
	Broken  *Message      // retried, fell back: the incomplete answer, whose Usage is paid for
	Model   string        // fell back: the reference of the next model
	Until   time.Time     // held: by a rate limit until then, at least; zero: by the number of requests at once
}
