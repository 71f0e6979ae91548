package openai

import (
	"encoding/json"
	"slices"

	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire"
)

// input translates the conversation to items.
func (m *Model) input(req providers.Request) (list responses.ResponseInputParam) {
	for _, message := range m.client.Conversation(req.Messages, false) {
		list = append(list, m.items(message)...)
	}
	return list
}

// items translates one message.
func (m *Model) items(message providers.Message) []responses.ResponseInputItemUnionParam {
	if message.Role == providers.RoleAssistant {
		return m.answerItems(message)
	}
	var list []responses.ResponseInputItemUnionParam
	for _, block := range message.Blocks {
		switch block.Type {
		case providers.BlockToolResult:
			list = append(list, resultItem(block))
		case providers.BlockText:
			list = append(list, responses.ResponseInputItemParamOfMessage(block.Text, responses.EasyInputMessageRoleUser))
		}
	}
	return list
}

// answerItems translates a model's answer: to the items as received, if this service sent
// them, or else to items made of the neutral fields.
func (m *Model) answerItems(message providers.Message) []responses.ResponseInputItemUnionParam {
	own := m.understands(message)
	var list []responses.ResponseInputItemUnionParam
	said := 0 // the number of items up to the last that is not reasoning
	for _, block := range message.Blocks {
		if own && len(block.Raw) > 0 && !isCut(block) {
			if raw, kind := replay(block.Raw); raw != nil {
				list = append(list, param.Override[responses.ResponseInputItemUnionParam](raw))
				if kind != itemReasoning {
					said = len(list)
				}
			}
			continue
		}
		switch block.Type {
		case providers.BlockText:
			list = append(list, responses.ResponseInputItemParamOfMessage(block.Text, responses.EasyInputMessageRoleAssistant))
			said = len(list)
		case providers.BlockToolCall:
			list = append(list, responses.ResponseInputItemParamOfFunctionCall(
				wire.ArgumentsText(block), block.ID, block.Name))
			said = len(list)
		}
	}
	// Reasoning without the item that followed it is refused.
	return list[:said]
}

// understands reports whether the items of a message can be sent back: the model accepts reasoning if
// there is any.
func (m *Model) understands(message providers.Message) bool {
	return reasons(m.options.Model) || !slices.ContainsFunc(message.Blocks, func(block providers.Block) bool {
		return readHead(block.Raw).Type == itemReasoning
	})
}

// isCut reports whether a call's arguments are invalid JSON. Then its item is not sent back.
func isCut(block providers.Block) bool {
	return block.Type == providers.BlockToolCall && !json.Valid(block.Arguments)
}

// A head has the fields that are used of an item to send back.
type head struct {
	Type      string            `json:"type"`
	Encrypted string            `json:"encrypted_content"`
	Content   []json.RawMessage `json:"content"`
}

// readHead decodes an item. Of one that the service ran itself only the type is used; its
// other fields may have other forms.
func readHead(raw json.RawMessage) (h head) {
	if json.Unmarshal(raw, &h) != nil && h.Type == itemReasoning {
		return head{}
	}
	return h
}

// replay returns the item to send for a block's Raw, and its type; nil for a piece of an
// item that is sent with another block, and for reasoning without content or encrypted
// content, which the service does not store and could not find.
func replay(raw json.RawMessage) (json.RawMessage, string) {
	h := readHead(raw)
	if h.Type == "" || h.Type == itemReasoning && h.Encrypted == "" && len(h.Content) == 0 {
		return nil, ""
	}
	return raw, h.Type
}

// resultItem translates a result. The API has no field for a failed call; the text of the
// result says so.
func resultItem(block providers.Block) responses.ResponseInputItemUnionParam {
	result := responses.ResponseInputItemParamOfFunctionCallOutput(block.Content)
	result.OfFunctionCallOutput.CallID = param.NewOpt(block.CallID)
	return result
}
