package providers

import (
	"bytes"
	"encoding/json"
	"slices"
	"sync"
)

// A Memo is what a model keeps of one conversation from one request to the next,
// so that each message is encoded once and not again in every turn. Whoever
// holds a conversation makes one, and sends it with each request of it. The zero
// Memo is empty, and nil keeps nothing. It is safe for concurrent use.
type Memo struct {
	mu       sync.Mutex
	by       any // who encoded
	messages []encodedMessage
}

type encodedMessage struct {
	of   Message
	wire json.RawMessage
}

// Message returns what encode makes of the conversation's message with an index,
// or what it made of it before, for the same model: one that can be compared.
// The result is read-only.
func (m *Memo) Message(model any, index int, message Message, encode func() json.RawMessage) json.RawMessage {
	if m == nil {
		return encode()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.keepFor(model)
	if index < len(m.messages) && m.messages[index].of.says(message) {
		return m.messages[index].wire
	}
	wire := encode()
	if index <= len(m.messages) {
		m.messages = append(m.messages[:index], encodedMessage{message, wire})
	}
	return wire
}

// keepFor forgets what another model has encoded.
func (m *Memo) keepFor(model any) {
	if m.by != model {
		m.by, m.messages = model, nil
	}
}

// A ToolMemo is what a model keeps of the tools that it was last offered, so that
// those that all conversations of a step offer are encoded once. The zero ToolMemo
// is empty. It is safe for concurrent use.
type ToolMemo struct {
	mu    sync.Mutex
	tools []ToolSpec
	wire  json.RawMessage
}

// Encoded returns what encode makes of tools, or what it made of the same tools
// before. The result is read-only.
func (m *ToolMemo) Encoded(tools []ToolSpec, encode func() json.RawMessage) json.RawMessage {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.wire == nil || !slices.EqualFunc(m.tools, tools, ToolSpec.equal) {
		m.tools, m.wire = slices.Clone(tools), encode()
	}
	return m.wire
}

// says reports whether two messages are the same to a model. Texts that are the
// very same are told so without being read.
func (m Message) says(other Message) bool {
	return m.Role == other.Role && m.Provider == other.Provider && m.Model == other.Model &&
		slices.EqualFunc(m.Blocks, other.Blocks, Block.equal)
}

func (b Block) equal(c Block) bool {
	return b.Type == c.Type && b.Text == c.Text && b.ID == c.ID && b.Name == c.Name && b.CallID == c.CallID &&
		b.Content == c.Content && b.Error == c.Error &&
		bytes.Equal(b.Arguments, c.Arguments) && bytes.Equal(b.Raw, c.Raw)
}

func (t ToolSpec) equal(u ToolSpec) bool {
	return t.Name == u.Name && t.Description == u.Description && bytes.Equal(t.Parameters, u.Parameters)
}
