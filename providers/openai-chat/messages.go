package openaichat

import (
	"encoding/json"

	"github.com/openai/openai-go/v3"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/sdk"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire"
)

// messages translates the conversation: to a list of JSON for each message, which
// are one. The system prompt goes first, in the role that every service knows.
func (m *Model) messages(req providers.Request) []json.RawMessage {
	var lists []json.RawMessage
	if req.System != "" {
		lists = append(lists, sdk.Encode([]openai.ChatCompletionMessageParamUnion{openai.SystemMessage(req.System)}))
	}
	ids := wire.NewCallIDs(m.options.Provider)
	for i, message := range req.Messages {
		ids.Add(message)
		lists = append(lists, req.Memo.Message(m, i, message, func() json.RawMessage { return sdk.Encode(m.message(message, ids)) }))
	}
	return lists
}

// message translates one message: to none where nothing is left of it, to
// several where it has results.
func (m *Model) message(message providers.Message, ids *wire.CallIDs) []openai.ChatCompletionMessageParamUnion {
	if message.Role == providers.RoleAssistant {
		return m.appendAnswer(nil, message, ids)
	}
	list := appendResults(nil, message, ids)
	if text := wire.JoinTexts(message); text != "" {
		list = append(list, openai.UserMessage(text))
	}
	return list
}

// appendAnswer adds what a model said. A message of which nothing is left,
// because it was a foreign model's thinking only, is left out: an empty one is
// refused by some services.
func (m *Model) appendAnswer(list []openai.ChatCompletionMessageParamUnion, message providers.Message, ids *wire.CallIDs) []openai.ChatCompletionMessageParamUnion {
	var answer openai.ChatCompletionAssistantMessageParam
	text := wire.JoinTexts(message)
	if text != "" {
		answer.Content.OfString = openai.String(text)
	}
	for _, call := range message.Calls() {
		answer.ToolCalls = append(answer.ToolCalls, toolCall(ids.Of(call.ID), call))
	}
	extra := m.extraFields(message)
	if text == "" && len(answer.ToolCalls) == 0 {
		if len(extra) == 0 {
			return list
		}
		answer.Content.OfString = openai.String("")
	}
	if m.thinks && extra[reasoningContent] == nil {
		extra[reasoningContent] = " " // which all of these services take, and nothing less
	}
	answer.SetExtraFields(extra)
	return append(list, openai.ChatCompletionMessageParamUnion{OfAssistant: &answer})
}

func toolCall(id string, call providers.Block) openai.ChatCompletionMessageToolCallUnionParam {
	return openai.ChatCompletionMessageToolCallUnionParam{
		OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{
			ID: id,
			Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{
				Name: call.Name, Arguments: wire.ArgumentsText(call),
			},
		},
	}
}

// extraFields are the fields of reasoning that the service sent with its
// message, and wants to see again.
func (m *Model) extraFields(message providers.Message) map[string]any {
	extra := map[string]any{}
	if message.Provider != m.options.Provider {
		return extra
	}
	for _, block := range message.Blocks {
		var fields map[string]json.RawMessage
		if block.Type != providers.BlockThinking || json.Unmarshal(block.Raw, &fields) != nil {
			continue
		}
		for name, value := range fields {
			extra[name] = value
		}
	}
	return extra
}

// appendResults adds each result as a message of its own. That a call failed is
// told by the result's text: the format has no other place for it.
func appendResults(list []openai.ChatCompletionMessageParamUnion, message providers.Message, ids *wire.CallIDs) []openai.ChatCompletionMessageParamUnion {
	for _, block := range message.Blocks {
		if block.Type == providers.BlockToolResult {
			list = append(list, openai.ToolMessage(block.Content, ids.Of(block.CallID)))
		}
	}
	return list
}
