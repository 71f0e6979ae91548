package openaichat

import (
	"encoding/json"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/shared"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/sdk"
)

// params translates a request but for its messages and tools, which [Model.lists]
// does. Parallel calls are left to the service, which allows them by default.
func (m *Model) params(req providers.Request) openai.ChatCompletionNewParams {
	p := openai.ChatCompletionNewParams{
		Model:         m.options.Model,
		StreamOptions: openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)},
	}
	addChoice(&p, req)
	m.addOutput(&p, req.Output)
	m.addSampling(&p, req.Params)
	return p
}

// lists are the messages and tools of a request. Each message is encoded once in
// a conversation, and so are the tools.
func (m *Model) lists(req providers.Request) []sdk.List {
	lists := []sdk.List{{Field: "messages", Of: m.messages(req)}}
	if len(req.Tools) > 0 {
		tools := m.offered.Encoded(req.Tools, func() json.RawMessage { return sdk.Encode(m.tools(req.Tools)) })
		lists = append(lists, sdk.List{Field: "tools", Of: []json.RawMessage{tools}})
	}
	return lists
}

// tools translates the tools that are offered. Where none may be called they are
// shown all the same: a conversation with calls of tools that nobody knows is
// refused by some services.
func (m *Model) tools(offered []providers.ToolSpec) []openai.ChatCompletionToolUnionParam {
	var list []openai.ChatCompletionToolUnionParam
	for _, tool := range offered {
		list = append(list, openai.ChatCompletionFunctionTool(m.function(tool)))
	}
	return list
}

// addChoice says which tools may be called.
func addChoice(p *openai.ChatCompletionNewParams, req providers.Request) {
	switch {
	case len(req.Tools) == 0:
	case req.NoTools:
		p.ToolChoice.OfAuto = openai.String("none")
	case req.Force != "":
		p.ToolChoice = openai.ToolChoiceOptionFunctionToolChoice(
			openai.ChatCompletionNamedToolChoiceFunctionParam{Name: req.Force})
	}
}

// function translates a tool. Only OpenAI's own hosts are told of strictness:
// elsewhere the word is unknown, or another thing.
func (m *Model) function(tool providers.ToolSpec) shared.FunctionDefinitionParam {
	f := shared.FunctionDefinitionParam{Name: tool.Name}
	if tool.Description != "" {
		f.Description = openai.String(tool.Description)
	}
	parameters := tool.Parameters
	if m.service.Native {
		var strict bool
		parameters, strict = providers.StrictSchema(tool.Parameters)
		f.Strict = openai.Bool(strict)
	}
	if len(parameters) > 0 {
		f.SetExtraFields(map[string]any{"parameters": parameters})
	}
	return f
}

func (m *Model) addOutput(p *openai.ChatCompletionNewParams, output *providers.Output) {
	if output == nil {
		return
	}
	schema, strict := providers.StrictSchema(output.Schema)
	p.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{
		JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{
			Name: output.Name, Schema: schema, Strict: openai.Bool(strict),
		},
	}
}

func (m *Model) addSampling(p *openai.ChatCompletionNewParams, params providers.Params) {
	if params.Temperature != nil {
		p.Temperature = openai.Float(*params.Temperature)
	}
	if params.TopP != nil {
		p.TopP = openai.Float(*params.TopP)
	}
	if params.Seed != nil {
		p.Seed = openai.Int(*params.Seed)
	}
	if effort := params.Effort(); effort != "" {
		p.ReasoningEffort = shared.ReasoningEffort(effort)
	}
	switch most := int64(params.MaxOutputTokens); {
	case most <= 0:
	case m.service.Native:
		p.MaxCompletionTokens = openai.Int(most)
	default:
		p.MaxTokens = openai.Int(most)
	}
}
