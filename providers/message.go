package providers

import (
	"encoding/json"
	"strings"
)

// Role is who speaks a message.
type Role string

// The roles. The system prompt is not a message; see [Request.System].
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool" // the results of the calls of the message before
)

// BlockType is the type of a [Block].
type BlockType string

// The types of blocks.
const (
	BlockText       BlockType = "text"
	BlockThinking   BlockType = "thinking"
	BlockToolCall   BlockType = "tool_call"
	BlockToolResult BlockType = "tool_result"
)

// A Block is one part of a message. Which fields count depends on Type.
type Block struct {
	Type BlockType `json:"type"`

	Text string `json:"text,omitempty"` // text, thinking; empty for hidden thinking, which has only Raw

	ID        string          `json:"id,omitempty"`        // tool_call; never empty in a provider's answer
	CallID    string          `json:"call_id,omitempty"`   // tool_result: the ID of the call that it answers
	Name      string          `json:"name,omitempty"`      // tool_call, tool_result: the tool
	Arguments json.RawMessage `json:"arguments,omitempty"` // tool_call: the bytes as received; invalid JSON if they were cut off

	Content string `json:"content,omitempty"` // tool_result
	Error   bool   `json:"error,omitempty"`   // tool_result: the call failed or was refused

	// Raw is what the provider sent and needs back unchanged: signatures, encrypted
	// reasoning, items with their ids. Providers other than the message's ignore it.
	Raw json.RawMessage `json:"raw,omitempty"`
}

// Finish is why a model stopped.
type Finish string

// The finish reasons. An answer has one of them, since it says whether the answer is whole; with
// any other word, or none, a step fails. A message with complete tool calls has
// [FinishToolCalls], whatever the service says; one without has it only if the service says that
// there are calls.
const (
	FinishStop          Finish = "stop"
	FinishToolCalls     Finish = "tool_calls"
	FinishLength        Finish = "length"
	FinishContentFilter Finish = "content_filter"
	FinishError         Finish = "error"
)

// A Message is one turn of a conversation.
type Message struct {
	Role   Role    `json:"role"`
	Blocks []Block `json:"blocks,omitempty"`

	// Of an assistant's message only:
	Provider string `json:"provider,omitempty"` // who answered; see [Block.Raw]
	Model    string `json:"model,omitempty"`    // the reference of the model that answered
	Finish   Finish `json:"finish,omitempty"`   // never empty
	Usage    Usage  `json:"usage,omitzero"`
	Saved    *Usage `json:"-"` // the usage of a cached answer when it was made; its Usage is zero. Nil for a new answer
}

// UserText returns a user's message of one text.
func UserText(text string) Message {
	return Message{Role: RoleUser, Blocks: []Block{{Type: BlockText, Text: text}}}
}

// Replay emits the events of a message, as if it came in now. emit may be nil.
func (m Message) Replay(emit func(Event)) {
	if emit == nil {
		return
	}
	for i, b := range m.Blocks {
		emit(Event{Type: BlockStarted, Index: i, Block: Block{Type: b.Type, ID: b.ID, Name: b.Name}})
		if delta := b.Text + string(b.Arguments); delta != "" {
			emit(Event{Type: BlockDelta, Index: i, Delta: delta})
		}
		emit(Event{Type: BlockFinished, Index: i, Block: b})
	}
}

// Text returns the concatenation of the message's text blocks.
func (m Message) Text() string {
	var b strings.Builder
	for _, block := range m.Of(BlockText) {
		b.WriteString(block.Text)
	}
	return b.String()
}

// Calls returns the message's tool calls in order.
func (m Message) Calls() []Block { return m.Of(BlockToolCall) }

// Of returns the message's blocks of a type in order.
func (m Message) Of(t BlockType) (blocks []Block) {
	for _, block := range m.Blocks {
		if block.Type == t {
			blocks = append(blocks, block)
		}
	}
	return blocks
}

// Usage counts tokens. Input includes the cached ones, Output the reasoning.
type Usage struct {
	InputTokens       int64 `json:"input_tokens"`
	OutputTokens      int64 `json:"output_tokens"`
	CachedInputTokens int64 `json:"cached_input_tokens"`
	CacheWriteTokens  int64 `json:"cache_write_tokens,omitempty"`
	CacheWrite1h      int64 `json:"cache_write_1h_tokens,omitempty"` // of CacheWriteTokens, those that are kept for an hour
	ReasoningTokens   int64 `json:"reasoning_tokens"`

	// Cost is what the service reports to have charged, in USD; nil for most services,
	// which report nothing.
	Cost *float64 `json:"cost_usd,omitempty"`
}

// Add returns the sum of both. Its cost is known if that of both is; a zero Usage adds
// nothing.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		InputTokens:       u.InputTokens + v.InputTokens,
		OutputTokens:      u.OutputTokens + v.OutputTokens,
		CachedInputTokens: u.CachedInputTokens + v.CachedInputTokens,
		CacheWriteTokens:  u.CacheWriteTokens + v.CacheWriteTokens,
		CacheWrite1h:      u.CacheWrite1h + v.CacheWrite1h,
		ReasoningTokens:   u.ReasoningTokens + v.ReasoningTokens,
		Cost:              u.addCost(v),
	}
}

func (u Usage) addCost(v Usage) *float64 {
	switch {
	case u == Usage{}:
		return v.Cost
	case v == Usage{}:
		return u.Cost
	case u.Cost == nil || v.Cost == nil:
		return nil
	}
	sum := *u.Cost + *v.Cost
	return &sum
}

// Total returns the tokens in and out.
func (u Usage) Total() int64 { return u.InputTokens + u.OutputTokens }
