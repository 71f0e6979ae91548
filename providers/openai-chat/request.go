package openaichat

import (
	"encoding/json"

	"github.com/a-seed-11b9befa/flow/providers"
)

// A request is the body of a request.
type request struct {
	Model         string        `json:"model"`
	Messages      []message     `json:"messages"`
	Tools         []tool        `json:"tools,omitempty"`
	ToolChoice    any           `json:"tool_choice,omitempty"` // none, or the tool that must be called
	Format        *format       `json:"response_format,omitempty"`
	Temperature   *float64      `json:"temperature,omitempty"`
	TopP          *float64      `json:"top_p,omitempty"`
	Seed          *int64        `json:"seed,omitempty"`
	Effort        string        `json:"reasoning_effort,omitempty"`
	MaxTokens     int           `json:"max_tokens,omitempty"`
	MaxCompletion int           `json:"max_completion_tokens,omitempty"` // the same, for native services
	Stream        bool          `json:"stream"`
	StreamOptions streamOptions `json:"stream_options"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// A tool is one that is offered, or, with only its name, the one that must be called.
type tool struct {
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
	Strict      *bool           `json:"strict,omitempty"`
}

type format struct {
	Type   string     `json:"type"`
	Schema jsonSchema `json:"json_schema"`
}

type jsonSchema struct {
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema"`
	Strict bool            `json:"strict"`
}

// request translates a request. The service allows parallel calls by default.
func (m *Model) request(req providers.Request) *request {
	r := &request{
		Model: m.options.Model, Messages: m.messages(req),
		Temperature: req.Params.Temperature, TopP: req.Params.TopP, Seed: req.Params.Seed, Effort: req.Params.Effort(),
		Stream: true, StreamOptions: streamOptions{IncludeUsage: true},
	}
	if most := max(req.Params.MaxOutputTokens, 0); m.native {
		r.MaxCompletion = most
	} else {
		r.MaxTokens = most
	}
	r.addOutput(req.Output)
	m.addTools(r, req)
	return r
}

// addTools adds the tools, and which may be called. They are added even if none may be:
// some services refuse a conversation with calls of unknown tools.
func (m *Model) addTools(r *request, req providers.Request) {
	if len(req.Tools) == 0 {
		return
	}
	for _, spec := range req.Tools {
		r.Tools = append(r.Tools, tool{Type: "function", Function: m.function(spec)})
	}
	switch {
	case req.NoTools:
		r.ToolChoice = "none"
	case req.Force != "":
		r.ToolChoice = tool{Type: "function", Function: function{Name: req.Force}}
	}
}

// function translates a tool. Only native services know strict; to others it may mean
// something else.
func (m *Model) function(spec providers.ToolSpec) function {
	f := function{Name: spec.Name, Description: spec.Description, Parameters: spec.Parameters}
	if m.native {
		var strict bool
		f.Parameters, strict = providers.StrictSchema(spec.Parameters)
		f.Strict = &strict
	}
	return f
}

func (r *request) addOutput(output *providers.Output) {
	if output == nil {
		return
	}
	schema, strict := providers.StrictSchema(output.Schema)
	r.Format = &format{Type: "json_schema", Schema: jsonSchema{Name: output.Name, Schema: schema, Strict: strict}}
}
