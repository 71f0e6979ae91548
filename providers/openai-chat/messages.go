package openaichat

import (
	"encoding/json"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire"
)

// A message is one turn.
type message struct {
	Role    string     `json:"role"`
	Content *string    `json:"content,omitempty"`
	Calls   []toolCall `json:"tool_calls,omitempty"`
	CallID  string     `json:"tool_call_id,omitempty"` // of a result
	thoughts
}

// thoughts are a service's fields for reasoning and refusals, unchanged.
type thoughts struct {
	Content   json.RawMessage `json:"reasoning_content,omitempty"`
	Reasoning json.RawMessage `json:"reasoning,omitempty"`
	Details   json.RawMessage `json:"reasoning_details,omitempty"`
	Refusal   json.RawMessage `json:"refusal,omitempty"`
}

type toolCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function functionCall `json:"function"`
}

type functionCall struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// messages translates the conversation. The system prompt is the first message, with the
// role that every service knows.
func (m *Model) messages(req providers.Request) []message {
	list := []message{}
	if req.System != "" {
		list = append(list, message{Role: "system", Content: &req.System})
	}
	for _, said := range m.client.Conversation(req.Messages, false) {
		list = append(list, m.message(said)...)
	}
	return list
}

// message translates one message, with results to several, and an empty one to none. The
// format has no field for a failed call; the text of the result says so.
func (m *Model) message(said providers.Message) []message {
	if said.Role == providers.RoleAssistant {
		return m.answer(said)
	}
	var list []message
	for _, block := range said.Of(providers.BlockToolResult) {
		list = append(list, message{Role: "tool", Content: &block.Content, CallID: block.CallID})
	}
	if text := wire.JoinTexts(said); text != "" {
		list = append(list, message{Role: "user", Content: &text})
	}
	return list
}

// answer translates a model's answer. One that is empty, because it was only the thinking
// of another provider's model, is left out: some services refuse empty messages.
func (m *Model) answer(said providers.Message) []message {
	answer := message{Role: "assistant", thoughts: thoughtsOf(said)}
	text := wire.JoinTexts(said)
	for _, call := range said.Calls() {
		answer.Calls = append(answer.Calls, toolCall{
			ID: call.ID, Type: "function",
			Function: functionCall{Name: call.Name, Arguments: wire.ArgumentsText(call)},
		})
	}
	switch empty := text == "" && len(answer.Calls) == 0; {
	case empty && answer.thoughts.none():
		return nil
	case empty || text != "":
		answer.Content = &text
	}
	if m.returns != asItCame && answer.thoughts.Content == nil {
		answer.thoughts.Content = answer.Reasoning
	}
	if m.returns == always && answer.thoughts.Content == nil {
		answer.thoughts.Content = json.RawMessage(`" "`) // the least that all of these services accept
	}
	return []message{answer}
}

// thoughtsOf returns the fields that the service sent with its message and needs back.
func thoughtsOf(said providers.Message) (came thoughts) {
	for _, block := range said.Of(providers.BlockThinking) {
		_ = json.Unmarshal(block.Raw, &came) // nothing, or the Raw of another format
	}
	return came
}

func (t thoughts) none() bool {
	return t.Content == nil && t.Reasoning == nil && t.Details == nil && t.Refusal == nil
}
