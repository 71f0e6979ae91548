package anthropic

import (
	"encoding/json"
	"strings"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire"
)

const (
	roleUser      = "user"
	roleAssistant = "assistant"
)

// A message is one turn. Its content is new blocks and blocks that are sent back unchanged.
type message struct {
	Role    string `json:"role"`
	Content []any  `json:"content"` // *block or json.RawMessage
}

// A block is a new block. Which fields are used depends on its type.
type block struct {
	Type string `json:"type"`

	Text string `json:"text,omitempty"` // text

	ID    string          `json:"id,omitempty"` // tool_use
	Name  string          `json:"name,omitempty"`
	Input json.RawMessage `json:"input,omitempty"`

	CallID  string `json:"tool_use_id,omitempty"` // tool_result
	Content string `json:"content,omitempty"`
	Error   bool   `json:"is_error,omitempty"`

	Cache *cacheControl `json:"cache_control,omitempty"`
}

func textBlock(text string) *block { return &block{Type: "text", Text: text} }

// messages translates the conversation. Roles must alternate, so messages of the same role
// are merged, and empty ones left out.
func (m *Model) messages(req providers.Request) []message {
	list := []message{}
	for _, said := range m.client.Conversation(req.Messages, true) {
		role, content := roleUser, []any(nil)
		if said.Role == providers.RoleAssistant {
			role, content = roleAssistant, m.answer(said)
		} else {
			content = append(results(said), texts(said)...)
		}
		switch last := len(list) - 1; {
		case len(content) == 0:
		case last >= 0 && list[last].Role == role:
			list[last].Content = append(list[last].Content, content...)
		default:
			list = append(list, message{Role: role, Content: content})
		}
	}
	return list
}

// answer translates a model's answer.
func (m *Model) answer(said providers.Message) []any {
	var content []any
	for _, b := range said.Blocks {
		switch {
		case b.Type == providers.BlockToolCall:
			content = append(content, &block{Type: "tool_use", ID: b.ID, Name: b.Name, Input: wire.ArgumentsObject(b)})
		case m.replays(b.Raw):
			content = append(content, b.Raw)
		case b.Type == providers.BlockText && !isBlank(b.Text):
			content = append(content, textBlock(b.Text))
		}
	}
	return content
}

// replays reports whether a block is sent back unchanged. The vendor refuses a thought that
// was cut off before its signature; other services don't sign.
func (m *Model) replays(raw json.RawMessage) bool {
	var b struct {
		Type      string `json:"type"`
		Signature string `json:"signature"`
	}
	if len(raw) == 0 || json.Unmarshal(raw, &b) != nil || b.Type == "" {
		return false
	}
	return b.Type != kindThinking || b.Signature != "" || !m.native
}

// results returns the results in a message, which have to come first.
func results(said providers.Message) []any {
	var content []any
	for _, b := range said.Of(providers.BlockToolResult) {
		result := &block{Type: "tool_result", CallID: b.CallID, Content: b.Content, Error: b.Error}
		if result.Error && isBlank(result.Content) {
			result.Content = "failed" // an empty failure is refused
		}
		content = append(content, result)
	}
	return content
}

func texts(said providers.Message) []any {
	var content []any
	for _, b := range said.Of(providers.BlockText) {
		if !isBlank(b.Text) {
			content = append(content, textBlock(b.Text))
		}
	}
	return content
}

// isBlank reports whether a text has only white space, which the service refuses.
func isBlank(text string) bool { return strings.TrimSpace(text) == "" }

func (m message) holdsResults() bool {
	first, ok := m.Content[0].(*block)
	return ok && first.Type == "tool_result"
}

func (m message) beginsWithThought() bool {
	raw, ok := m.Content[0].(json.RawMessage)
	if !ok {
		return false
	}
	kind := kindOf(raw)
	return kind == kindThinking || kind == kindRedacted
}
