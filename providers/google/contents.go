package google

import (
	"cmp"
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

// noSignature stands for the signature of a call that the service did not make,
// or made before it had any. It is Google's own word for it:
// https://ai.google.dev/gemini-api/docs/thought-signatures.
const noSignature = "skip_thought_signature_validator"

// A history is a conversation that is being translated.
type history struct {
	provider   string
	needsSigns bool // the first call of an answer must be signed
	ownIDsOnly bool // ids that the service did not give are not sent
	list       []content
	ids        *wire.CallIDs
	calls      []sentCall // of the last answer, in their order
}

// A sentCall is a call as it was sent.
type sentCall struct {
	id   string // ours
	wire string // the service's; none where it gave none
	name string
}

// contents translates the conversation. The sides alternate: what one of them
// says in several messages is one content.
func (m *Model) contents(messages []providers.Message) []content {
	h := &history{
		provider: m.options.Provider, needsSigns: !isOlder(m.options.Model),
		ownIDsOnly: m.options.Vertex != nil, // which knows the field for some models only
		ids:        wire.NewCallIDs(m.options.Provider),
	}
	for _, message := range messages {
		if message.Role == providers.RoleAssistant {
			h.add(roleModel, h.answerParts(message))
			continue
		}
		h.add(roleUser, h.resultParts(message))
		h.add(roleUser, textParts(message))
	}
	return h.list
}

func (h *history) add(role string, parts []json.RawMessage) {
	last := len(h.list) - 1
	switch {
	case len(parts) == 0:
	case last >= 0 && h.list[last].Role == role:
		h.list[last].Parts = append(h.list[last].Parts, parts...)
	default:
		h.list = append(h.list, content{Role: role, Parts: parts})
	}
}

// answerParts translates what a model said. Of another provider's answer its
// texts and calls are left.
func (h *history) answerParts(message providers.Message) []json.RawMessage {
	h.calls = nil
	h.ids.Add(message)
	var parts []json.RawMessage
	for _, block := range message.Blocks {
		block.Raw = partOf(block.Raw)
		if message.Provider != h.provider {
			block.Raw = nil
		}
		switch {
		case block.Type == providers.BlockToolCall:
			parts = append(parts, h.callPart(block))
		case block.Raw != nil:
			parts = append(parts, block.Raw)
		case block.Type == providers.BlockText && block.Text != "":
			parts = append(parts, textPart(block.Text))
		}
	}
	return parts
}

// partOf returns a Raw that is a part, and nil for any other: those of another
// format have a type. A signature alone, which the service would not take, stands
// on an empty text.
func partOf(raw json.RawMessage) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil || fields["type"] != nil {
		return nil
	}
	signature := fields["thoughtSignature"]
	data := len(fields)
	for _, beside := range []string{"thought", "thoughtSignature"} {
		if _, there := fields[beside]; there {
			data--
		}
	}
	switch {
	case data > 0:
		return raw
	case signature == nil:
		return nil
	}
	fields["text"] = json.RawMessage(`""`)
	return wire.JSON(fields)
}

// callPart returns a call as it came, or made anew.
func (h *history) callPart(block providers.Block) json.RawMessage {
	var came part
	if json.Unmarshal(block.Raw, &came) != nil || came.Call == nil {
		came = part{Call: &functionCall{Name: block.Name, Args: wire.ArgumentsObject(block)}}
		if !h.ownIDsOnly {
			came.Call.ID = h.ids.Of(block.ID)
		}
		block.Raw = wire.JSON(came)
	}
	if len(h.calls) == 0 && h.needsSigns && came.Signature == "" {
		block.Raw = signed(block.Raw)
	}
	h.calls = append(h.calls, sentCall{id: block.ID, wire: came.Call.ID, name: came.Call.Name})
	return block.Raw
}

// signed adds the signature that stands for none.
func signed(raw json.RawMessage) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return raw
	}
	fields["thoughtSignature"] = wire.JSON(noSignature)
	return wire.JSON(fields)
}

// A functionResponse is a result. The service knows the words output and error
// in its response.
type functionResponse struct {
	ID       string            `json:"id,omitempty"`
	Name     string            `json:"name"`
	Response map[string]string `json:"response"`
}

// resultParts translates the results of a message, in the order of the calls:
// those without an id are told apart by nothing else.
func (h *history) resultParts(message providers.Message) []json.RawMessage {
	var results []providers.Block
	for _, block := range message.Blocks {
		if block.Type == providers.BlockToolResult {
			results = append(results, block)
		}
	}
	slices.SortStableFunc(results, func(a, b providers.Block) int { return cmp.Compare(h.at(a.CallID), h.at(b.CallID)) })
	var parts []json.RawMessage
	for _, block := range results {
		parts = append(parts, h.resultPart(block))
	}
	return parts
}

// at is the place of a call in its answer; that of an unknown one is the last.
func (h *history) at(id string) int {
	at := slices.IndexFunc(h.calls, func(call sentCall) bool { return call.id == id })
	if at < 0 {
		return len(h.calls)
	}
	return at
}

func (h *history) resultPart(block providers.Block) json.RawMessage {
	answered := sentCall{wire: h.ids.Of(block.CallID), name: block.Name}
	if at := h.at(block.CallID); at < len(h.calls) {
		answered = h.calls[at]
	}
	key := "output"
	if block.Error {
		key = "error"
	}
	return wire.JSON(map[string]functionResponse{"functionResponse": {
		ID: answered.wire, Name: answered.name, Response: map[string]string{key: block.Content},
	}})
}

func textParts(message providers.Message) []json.RawMessage {
	var parts []json.RawMessage
	for _, block := range message.Blocks {
		if block.Type == providers.BlockText && block.Text != "" {
			parts = append(parts, textPart(block.Text))
		}
	}
	return parts
}

func textPart(text string) json.RawMessage { return wire.JSON(map[string]string{"text": text}) }
