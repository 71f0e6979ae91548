package google

import (
	"cmp"
	"encoding/json"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire"
)

// A request is the body of a request, with the fields that are used. See
// https://ai.google.dev/api/generate-content.
type request struct {
	System     *content    `json:"systemInstruction,omitempty"`
	Contents   []content   `json:"contents"`
	Tools      []toolList  `json:"tools,omitempty"`
	ToolConfig *toolConfig `json:"toolConfig,omitempty"`
	Generation settings    `json:"generationConfig,omitzero"`
}

// A content is one turn. Parts from the service are sent back unchanged.
type content struct {
	Role  string `json:"role,omitempty"`
	Parts []any  `json:"parts"` // part or json.RawMessage
}

type toolList struct {
	Functions []function `json:"functionDeclarations"`
}

type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parametersJsonSchema,omitempty"`
}

type toolConfig struct {
	Calling struct {
		Mode    string   `json:"mode"`
		Allowed []string `json:"allowedFunctionNames,omitempty"`
	} `json:"functionCallingConfig"`
}

type settings struct {
	Temperature     *float64        `json:"temperature,omitempty"`
	TopP            *float64        `json:"topP,omitempty"`
	MaxOutputTokens int             `json:"maxOutputTokens,omitempty"`
	Seed            *int64          `json:"seed,omitempty"`
	Thinking        *thinkingConfig `json:"thinkingConfig,omitempty"`
	MimeType        string          `json:"responseMimeType,omitempty"`
	Schema          json.RawMessage `json:"responseJsonSchema,omitempty"`
}

func (m *Model) request(req providers.Request) *request {
	r := &request{Contents: m.contents(req), Generation: m.settings(req)}
	if req.System != "" {
		r.System = &content{Parts: []any{textPart(req.System)}}
	}
	m.addTools(r, req)
	return r
}

// addTools adds the tools, even if none may be called: the conversation has calls of them.
func (m *Model) addTools(r *request, req providers.Request) {
	if len(req.Tools) == 0 {
		return
	}
	var list toolList
	for _, tool := range req.Tools {
		list.Functions = append(list.Functions, declared(tool))
	}
	r.Tools = []toolList{list}
	var config toolConfig
	switch {
	case req.NoTools:
		config.Calling.Mode = "NONE"
	case req.Force != "":
		config.Calling.Mode, config.Calling.Allowed = "ANY", []string{req.Force}
	default:
		return
	}
	r.ToolConfig = &config
}

// declared translates a tool. The description is required. A tool without parameters is
// declared without a schema, because some models refuse an object without properties.
func declared(tool providers.ToolSpec) function {
	f := function{Name: tool.Name, Description: cmp.Or(tool.Description, tool.Name)}
	if !takesNothing(tool.Parameters) {
		f.Parameters = schema(tool.Parameters)
	}
	return f
}

// takesNothing reports whether parameters are the schema of an object without properties: each of its
// keywords is empty, false, or a word about it.
func takesNothing(parameters json.RawMessage) bool {
	if len(parameters) == 0 {
		return true
	}
	var fields map[string]any
	if json.Unmarshal(parameters, &fields) != nil || fields["$ref"] != nil {
		return false
	}
	for _, value := range fields {
		_, isWord := value.(string)
		list, _ := value.([]any)
		object, isObject := value.(map[string]any)
		if !isWord && value != false && !(isObject && len(object) == 0) && !(list != nil && len(list) == 0) {
			return false
		}
	}
	return true
}

// schema returns a JSON Schema without $schema, which the service does not know. It ignores other
// keywords that it does not know.
func schema(source json.RawMessage) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(source, &fields) != nil {
		return source
	}
	if _, named := fields["$schema"]; !named {
		return source
	}
	delete(fields, "$schema")
	return wire.JSON(fields)
}

func (m *Model) settings(req providers.Request) settings {
	s := settings{
		Temperature: req.Params.Temperature, TopP: req.Params.TopP,
		MaxOutputTokens: max(req.Params.MaxOutputTokens, 0), Seed: req.Params.Seed,
		Thinking: thinking(m.options.Model, req.Params),
	}
	if req.Output != nil {
		s.MimeType, s.Schema = "application/json", schema(req.Output.Schema)
	}
	return s
}
