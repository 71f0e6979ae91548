package providers

import (
	"encoding/json"
	"strings"
)

// Role is who speaks a message.
type Role string

// The roles. The system prompt is no message: it stands in [Request.System].
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool" // the results of the calls of the message before
)

// BlockType is what a [Block] holds.
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
	Type BlockType

	Text string // text, thinking; empty where thinking is hidden and only Raw came

	ID        string          // tool_call; never empty once a provider has returned it
	Name      string          // tool_call, tool_result: the tool
	Arguments json.RawMessage // tool_call: the bytes that came; may be no JSON, where they were cut

	CallID  string `json:"call_id"` // tool_result: the ID of the call that it answers
	Content string // tool_result
	Error   bool   // tool_result: the call failed or was refused

	// Raw is what the provider sent and needs back unchanged: signatures,
	// encrypted reasoning, items with their ids. Only the provider that the
	// message names understands it; any other leaves it out.
	Raw json.RawMessage
}

// Finish is why a model stopped.
type Finish string

// The finish reasons. A message with tool calls that are whole is
// [FinishToolCalls], whatever the wire says.
const (
	FinishStop          Finish = "stop"
	FinishToolCalls     Finish = "tool_calls"
	FinishLength        Finish = "length"
	FinishContentFilter Finish = "content_filter"
	FinishError         Finish = "error"
)

// A Message is one turn of a conversation.
type Message struct {
	Role   Role
	Blocks []Block

	// Of an assistant's message only:
	Provider string // who answered; see [Block.Raw]
	Model    string // the reference of the model that answered
	Finish   Finish
	Usage    Usage
	Saved    *Usage `json:"-"` // what an answer that was kept from before took then; its Usage is zero. Nil for one that was asked for
}

// UserText returns a user's message of one text.
func UserText(text string) Message {
	return Message{Role: RoleUser, Blocks: []Block{{Type: BlockText, Text: text}}}
}

// Text returns the message's text blocks in order, joined with nothing.
func (m Message) Text() string {
	var b strings.Builder
	for _, block := range m.Blocks {
		if block.Type == BlockText {
			b.WriteString(block.Text)
		}
	}
	return b.String()
}

// Calls returns the message's tool calls in order.
func (m Message) Calls() []Block {
	var calls []Block
	for _, block := range m.Blocks {
		if block.Type == BlockToolCall {
			calls = append(calls, block)
		}
	}
	return calls
}

// Usage counts tokens. Input holds the cached ones, Output the reasoning.
type Usage struct {
	InputTokens       int64 `json:"input_tokens"`
	OutputTokens      int64 `json:"output_tokens"`
	CachedInputTokens int64 `json:"cached_input_tokens"`
	CacheWriteTokens  int64 `json:"cache_write_tokens,omitempty"`
	ReasoningTokens   int64 `json:"reasoning_tokens"`

	// Cost is what the service says that it has charged, in USD; nil where it
	// says nothing, as most do.
	Cost *float64 `json:"cost_usd,omitempty"`
}

// Add returns the sum of both. Its cost is known where that of both is, or of
// the one that is not zero.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		InputTokens:       u.InputTokens + v.InputTokens,
		OutputTokens:      u.OutputTokens + v.OutputTokens,
		CachedInputTokens: u.CachedInputTokens + v.CachedInputTokens,
		CacheWriteTokens:  u.CacheWriteTokens + v.CacheWriteTokens,
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
