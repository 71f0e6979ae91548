package google

import (
	"encoding/json"
	"slices"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire"
)

// The two sides of a conversation.
const (
	roleUser  = "user"
	roleModel = "model"
)

// noSignature is the signature for a call that the service did not make, or made before it
// had signatures, as Google documents it:
// https://ai.google.dev/gemini-api/docs/thought-signatures.
const noSignature = "skip_thought_signature_validator"

// A history translates a conversation.
type history struct {
	needsSigns bool // the first call of an answer must be signed
	ownIDsOnly bool // ids that are not the service's are not sent
	list       []content
	answer     providers.Message // the last one
}

// contents translates the conversation. Roles must alternate, so messages of the same role
// are merged.
func (m *Model) contents(req providers.Request) []content {
	h := &history{
		needsSigns: !isOlder(m.options.Model),
		ownIDsOnly: m.options.Vertex != nil, // which knows the field for some models only
		list:       []content{},
	}
	for _, message := range m.client.Conversation(req.Messages, false) {
		if message.Role == providers.RoleAssistant {
			h.add(roleModel, h.answerParts(message))
			h.answer = message
		} else {
			h.add(roleUser, append(h.resultParts(message), textParts(message)...))
		}
	}
	return h.list
}

// add adds the parts of the next message, which may have none.
func (h *history) add(role string, parts []any) {
	switch last := len(h.list) - 1; {
	case len(parts) == 0:
	case last >= 0 && h.list[last].Role == role:
		h.list[last].Parts = append(h.list[last].Parts, parts...)
	default:
		h.list = append(h.list, content{role, parts})
	}
}

// answerParts translates a model's answer.
func (h *history) answerParts(message providers.Message) (parts []any) {
	called := false
	for _, block := range message.Blocks {
		raw := partOf(block.Raw)
		switch {
		case block.Type == providers.BlockToolCall:
			sent, call := h.call(raw, block)
			if !called && h.needsSigns && call.Signature == "" {
				sent = signed(sent)
			}
			called = true
			parts = append(parts, sent)
		case raw != nil:
			parts = append(parts, raw)
		case block.Type == providers.BlockText && block.Text != "":
			parts = append(parts, textPart(block.Text))
		}
	}
	return parts
}

// partOf returns a Raw that is a part, nil for any other: those of other formats have a type
// and no thought signature. A signature alone, which the service would refuse, gets an
// empty text.
func partOf(raw json.RawMessage) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return nil
	}
	signature := fields["thoughtSignature"]
	switch {
	case signature == nil && (fields["type"] != nil || !holds(fields)):
		return nil
	case holds(fields):
		return raw
	}
	fields["text"] = json.RawMessage(`""`)
	return wire.JSON(fields)
}

// holds reports whether a part has data: fields other than those that only describe it.
func holds(fields map[string]json.RawMessage, beside ...string) bool {
	beside = append(beside, "thought", "thoughtSignature")
	for name := range fields {
		if !slices.Contains(beside, name) {
			return true
		}
	}
	return false
}

// call returns the part to send for a call, as received or a new one, and its fields.
func (h *history) call(raw json.RawMessage, block providers.Block) (any, part) {
	var came part
	if json.Unmarshal(raw, &came) == nil && came.Call != nil {
		return raw, came
	}
	made := part{Call: &functionCall{Name: block.Name, Args: wire.ArgumentsObject(block)}}
	if !h.ownIDsOnly {
		made.Call.ID = block.ID
	}
	return made, made
}

// signed adds [noSignature].
func signed(call any) any {
	fields := map[string]json.RawMessage{}
	switch call := call.(type) {
	case part:
		call.Signature = noSignature
		return call
	case json.RawMessage:
		if json.Unmarshal(call, &fields) != nil {
			return call
		}
	}
	fields["thoughtSignature"] = wire.JSON(noSignature)
	return fields
}

// A sentResult is the part that answers a call.
type sentResult struct {
	Response functionResponse `json:"functionResponse"`
}

// A functionResponse has output or error as the key of its response, as documented.
type functionResponse struct {
	ID       string            `json:"id,omitempty"`
	Name     string            `json:"name"`
	Response map[string]string `json:"response"`
}

// resultParts translates the results of a message, in the order of the calls, which
// identifies calls without an id.
func (h *history) resultParts(message providers.Message) (parts []any) {
	results := message.Of(providers.BlockToolResult)
	for _, call := range h.answer.Calls() {
		if at := slices.IndexFunc(results, func(b providers.Block) bool { return b.CallID == call.ID }); at >= 0 {
			_, sent := h.call(partOf(call.Raw), call)
			parts = append(parts, resultPart(results[at], *sent.Call))
		}
	}
	return parts
}

func resultPart(block providers.Block, answered functionCall) sentResult {
	key := "output"
	if block.Error {
		key = "error"
	}
	return sentResult{functionResponse{
		ID: answered.ID, Name: answered.Name, Response: map[string]string{key: block.Content},
	}}
}

func textParts(message providers.Message) (parts []any) {
	for _, block := range message.Of(providers.BlockText) {
		if block.Text != "" {
			parts = append(parts, textPart(block.Text))
		}
	}
	return parts
}

func textPart(text string) part { return part{Text: &text} }
