package openai

import (
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire"
)

// params translates a request. The service allows parallel calls by default.
func (m *Model) params(req providers.Request) responses.ResponseNewParams {
	p := responses.ResponseNewParams{
		Model: m.options.Model,
		Store: param.NewOpt(false),
		Input: responses.ResponseNewParamsInputUnion{OfInputItemList: m.input(req)},
	}
	if len(req.Tools) > 0 {
		p.Tools = tools(req.Tools)
	}
	if req.System != "" {
		p.Instructions = param.NewOpt(req.System)
	}
	if reasons(m.options.Model) {
		p.Include = []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent}
	}
	addChoice(&p, req)
	addOutput(&p, req.Output)
	addSampling(&p, req.Params)
	return p
}

// tools translates the tools, even if none may be called: the conversation has calls of them.
func tools(offered []providers.ToolSpec) []responses.ToolUnionParam {
	var list []responses.ToolUnionParam
	for _, tool := range offered {
		list = append(list, responses.ToolUnionParam{OfFunction: function(tool)})
	}
	return list
}

// addChoice says which tools may be called.
func addChoice(p *responses.ResponseNewParams, req providers.Request) {
	switch {
	case len(req.Tools) == 0:
	case req.NoTools:
		p.ToolChoice.OfToolChoiceMode = param.NewOpt(responses.ToolChoiceOptionsNone)
	case req.Force != "":
		p.ToolChoice.OfFunctionTool = &responses.ToolChoiceFunctionParam{Name: req.Force}
	}
}

// function translates a tool, always with strict: without it the service would make every
// schema strict, in its own way.
func function(tool providers.ToolSpec) *responses.FunctionToolParam {
	f := &responses.FunctionToolParam{Name: tool.Name}
	if tool.Description != "" {
		f.Description = param.NewOpt(tool.Description)
	}
	parameters, strict := providers.StrictSchema(tool.Parameters)
	f.Strict = param.NewOpt(strict)
	f.SetExtraFields(map[string]any{"parameters": wire.Parameters(parameters)})
	return f
}

func addOutput(p *responses.ResponseNewParams, output *providers.Output) {
	if output == nil {
		return
	}
	schema, strict := providers.StrictSchema(output.Schema)
	format := &responses.ResponseFormatTextJSONSchemaConfigParam{Name: output.Name, Strict: param.NewOpt(strict)}
	format.SetExtraFields(map[string]any{"schema": schema})
	p.Text.Format.OfJSONSchema = format
}

func addSampling(p *responses.ResponseNewParams, params providers.Params) {
	if params.Temperature != nil {
		p.Temperature = param.NewOpt(*params.Temperature)
	}
	if params.TopP != nil {
		p.TopP = param.NewOpt(*params.TopP)
	}
	if params.MaxOutputTokens > 0 {
		p.MaxOutputTokens = param.NewOpt(int64(params.MaxOutputTokens))
	}
	if effort := params.Effort(); effort != "" {
		p.Reasoning.Effort = shared.ReasoningEffort(effort)
	}
}
