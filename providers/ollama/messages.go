package ollama

import (
	"encoding/json"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire"
)

// A message is one of the conversation. Results have the name of their tool, which some
// templates use, and the id of their call, for others.
type message struct {
	Role     string     `json:"role"`
	Content  string     `json:"content"`
	Thinking string     `json:"thinking,omitempty"`
	Calls    []toolCall `json:"tool_calls,omitempty"`
	ToolName string     `json:"tool_name,omitempty"`
	CallID   string     `json:"tool_call_id,omitempty"`
}

// A toolCall has its arguments as an object. Older servers give it no id.
type toolCall struct {
	ID       string `json:"id,omitempty"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

// messages translates the conversation.
func (m *Model) messages(req providers.Request) []message {
	list := []message{}
	if req.System != "" {
		list = append(list, message{Role: "system", Content: req.System})
	}
	for _, said := range m.client.Conversation(req.Messages, false) {
		if said.Role == providers.RoleAssistant {
			if a := answer(said); a.Content != "" || a.Thinking != "" || len(a.Calls) > 0 {
				list = append(list, a)
			}
			continue
		}
		for _, block := range said.Of(providers.BlockToolResult) {
			list = append(list, message{Role: "tool", Content: block.Content, ToolName: block.Name, CallID: block.CallID})
		}
		if text := wire.JoinTexts(said); text != "" {
			list = append(list, message{Role: "user", Content: text})
		}
	}
	return list
}

// answer translates a model's answer.
func answer(said providers.Message) message {
	a := message{Role: "assistant", Content: wire.JoinTexts(said)}
	for _, block := range said.Of(providers.BlockThinking) {
		a.Thinking += block.Text
	}
	for _, block := range said.Calls() {
		call := toolCall{ID: block.ID}
		call.Function.Name, call.Function.Arguments = block.Name, wire.ArgumentsObject(block)
		a.Calls = append(a.Calls, call)
	}
	return a
}

// size returns the bytes of text that the model has to read, without the tools, which
// templates may rewrite.
func (r request) size() int {
	n := 0
	for _, m := range r.Messages {
		n += len(m.Content)
		for _, call := range m.Calls {
			n += len(call.Function.Arguments)
		}
	}
	return n
}
