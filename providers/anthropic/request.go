package anthropic

import (
	"encoding/json"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire"
)

// A request is the body of a request.
type request struct {
	Model       string        `json:"model"`
	MaxTokens   int           `json:"max_tokens"`
	System      []*block      `json:"system,omitempty"`
	Messages    []message     `json:"messages"`
	Tools       []*tool       `json:"tools,omitempty"`
	ToolChoice  *choice       `json:"tool_choice,omitempty"`
	Thinking    *thinking     `json:"thinking,omitempty"`
	Output      *outputConfig `json:"output_config,omitempty"`
	Temperature *float64      `json:"temperature,omitempty"`
	TopP        *float64      `json:"top_p,omitempty"`
	Stream      bool          `json:"stream"`
}

type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"input_schema"`
	Cache       *cacheControl   `json:"cache_control,omitempty"`
}

// A choice says which tools may be called: its type is auto, none or tool.
type choice struct {
	Type string `json:"type"`
	Name string `json:"name,omitempty"`
}

type outputConfig struct {
	Effort string  `json:"effort,omitempty"`
	Format *format `json:"format,omitempty"`
}

type format struct {
	Type   string          `json:"type"`
	Schema json.RawMessage `json:"schema"`
}

// request translates a request. The service allows parallel calls by default.
func (m *Model) request(req providers.Request) *request {
	r := &request{
		Model:     m.options.Model,
		MaxTokens: m.maxTokens(req.Params),
		Messages:  m.messages(req),
		Stream:    true,
	}
	if req.System != "" {
		r.System = append(r.System, textBlock(req.System))
	}
	m.addTools(r, req)
	addOutput(r, req.Output)
	m.addReasoning(r, req)
	m.addSampling(r, req.Params)
	r.markForCache(req)
	return r
}

// maxTokens returns the limit of the answer, which the API needs: by default the longest of
// the model.
func (m *Model) maxTokens(params providers.Params) int {
	if params.MaxOutputTokens > 0 {
		return params.MaxOutputTokens
	}
	return m.can.maxTokens
}

// addTools adds the tools, even if none may be called: the conversation has calls of them.
func (m *Model) addTools(r *request, req providers.Request) {
	for _, spec := range req.Tools {
		r.Tools = append(r.Tools, &tool{Name: spec.Name, Description: spec.Description, InputSchema: wire.Parameters(spec.Parameters)})
	}
	switch {
	case len(req.Tools) == 0:
	case req.NoTools:
		r.ToolChoice = &choice{Type: "none"}
	case req.Force != "" && !m.can.always:
		r.ToolChoice = &choice{Type: "tool", Name: req.Force}
	}
}

// addOutput adds the schema of the text. One that the service can't enforce becomes part of
// the prompt: the caller validates the answer in any case.
func addOutput(r *request, output *providers.Output) {
	if output == nil {
		return
	}
	schema, ok := providers.ClosedSchema(output.Schema)
	if ok {
		r.Output = &outputConfig{Format: &format{Type: "json_schema", Schema: schema}}
		return
	}
	r.System = append(r.System, textBlock(
		"Your final answer has to be JSON, with nothing before or after it, that fits this JSON Schema:\n"+string(output.Schema)))
}
