package google

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire"
)

// A request is the body of one, in the fields that flow fills in. See
// https://ai.google.dev/api/generate-content.
type request struct {
	system     string
	contents   []content
	offers     bool // tools
	tools      json.RawMessage
	toolConfig *toolConfig
	generation *settings
}

// A content is what one side says, in lists of parts that are one. Parts that came
// from the service go back as they came.
type content struct {
	role  string
	parts []json.RawMessage
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

// request translates a request.
func (m *Model) request(req providers.Request) request {
	r := request{system: req.System, contents: m.contents(req)}
	m.addTools(&r, req)
	r.addSettings(m.options.Model, req)
	return r
}

// encode writes the request; nil where that can't be, since it holds somebody's
// JSON that is none.
func (r request) encode() json.RawMessage {
	unwritten := func(c content) bool {
		return slices.ContainsFunc(c.parts, func(list json.RawMessage) bool { return list == nil })
	}
	if slices.ContainsFunc(r.contents, unwritten) {
		return nil
	}
	var o jsonline.Object
	if r.system != "" {
		o.Object("systemInstruction", func(o *jsonline.Object) {
			o.List("parts", 1, func(o *jsonline.Object, _ int) { o.Text("text", r.system) })
		})
	}
	o.List("contents", len(r.contents), func(o *jsonline.Object, i int) {
		o.Text("role", r.contents[i].role)
		o.Whole("parts", wire.AppendList(nil, r.contents[i].parts))
	})
	if r.offers {
		o.JSON("tools", r.tools)
	}
	if r.toolConfig != nil {
		o.Whole("toolConfig", wire.JSON(r.toolConfig))
	}
	if r.generation != nil {
		o.JSON("generationConfig", wire.JSON(r.generation))
	}
	body, err := o.Line()
	if err != nil {
		return nil
	}
	return body
}

// addTools offers the tools. Where none may be called they are shown all the
// same: the conversation has calls of them.
func (m *Model) addTools(r *request, req providers.Request) {
	if len(req.Tools) == 0 {
		return
	}
	r.offers = true
	r.tools = m.offered.Encoded(req.Tools, func() json.RawMessage { return wire.JSON([]toolList{declaredAll(req.Tools)}) })
	var config toolConfig
	switch {
	case req.NoTools:
		config.Calling.Mode = "NONE"
	case req.Force != "":
		config.Calling.Mode, config.Calling.Allowed = "ANY", []string{req.Force}
	default:
		return
	}
	r.toolConfig = &config
}

func declaredAll(tools []providers.ToolSpec) (list toolList) {
	for _, tool := range tools {
		list.Functions = append(list.Functions, declared(tool))
	}
	return list
}

// declared translates a tool. The description is required; a tool that takes
// nothing is declared without parameters, since an object without properties is
// refused by some models.
func declared(tool providers.ToolSpec) function {
	f := function{Name: tool.Name, Description: cmp.Or(tool.Description, tool.Name)}
	if !takesNothing(tool.Parameters) {
		f.Parameters = schema(tool.Parameters)
	}
	return f
}

// takesNothing reports whether parameters are those of an object without any.
func takesNothing(parameters json.RawMessage) bool {
	if len(parameters) == 0 {
		return true
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(parameters, &fields) != nil {
		return false
	}
	for key, value := range fields {
		empty := string(value)
		switch key {
		case "type", "title", "description", "$schema":
			empty = ""
		case "properties":
			empty = strings.Trim(empty, "{} \t\r\n")
		case "required":
			empty = strings.Trim(empty, "[] \t\r\n")
		case "additionalProperties":
			empty = strings.TrimPrefix(empty, "false")
		}
		if empty != "" {
			return false
		}
	}
	return true
}

// schema returns a JSON Schema without the address of its own form, which is no
// part of what the service reads. All else is left to it: it passes over keywords
// that it does not know.
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

// addSettings sets how the answer is made, and its form.
func (r *request) addSettings(model string, req providers.Request) {
	s := settings{
		Temperature: req.Params.Temperature, TopP: req.Params.TopP,
		MaxOutputTokens: max(req.Params.MaxOutputTokens, 0), Seed: req.Params.Seed,
		Thinking: thinking(model, req.Params),
	}
	if req.Output != nil {
		s.MimeType, s.Schema = "application/json", schema(req.Output.Schema)
	}
	if string(wire.JSON(s)) != "{}" {
		r.generation = &s
	}
}
