package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// An announced tool is a workflow as clients know it.
type announced struct {
	file string
	told []byte // as JSON
}

// announce announces a workflow to clients if it is new or has changed. The caller holds mu.
func (s *Server) announce(name, file string, w *host.Loaded) {
	tool := &sdk.Tool{Name: name, Description: term.VisibleLines(strings.TrimSpace(w.Description)), InputSchema: inputSchema(w.Workflow), OutputSchema: outputSchema(w.Workflow)}
	if name != w.Name {
		tool.Title = term.Visible(w.Name)
	}
	told, err := json.Marshal(tool)
	if err != nil {
		s.warn(file + ": " + err.Error())
		return
	}
	if now := s.announced[name]; now.file == file && bytes.Equal(now.told, told) {
		return
	}
	for other, now := range s.announced {
		if now.file == file && other != name { // it was renamed
			delete(s.announced, other)
			s.sdk.RemoveTools(other)
		}
	}
	s.announced[name] = announced{file, told}
	s.sdk.AddTool(tool, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return s.call(ctx, name, file, r)
	})
}

// toolName is the name of a workflow as the name of a tool: characters that services refuse there
// are underscores.
func toolName(name string) string {
	const most = 64
	var b strings.Builder
	for _, r := range name {
		switch {
		case b.Len() >= most:
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			b.WriteRune(r)
		default:
			b.WriteByte('_')
		}
	}
	return b.String()
}

// inputSchema is the schema of an object with all inputs.
func inputSchema(w *workflows.Workflow) any {
	properties, required := map[string]any{}, []string{}
	for _, in := range w.Inputs {
		schema := map[string]any{}
		if json.Unmarshal(in.Schema, &schema) != nil { // true or false
			properties[in.Name] = in.Schema
			continue
		}
		schema, _ = within(schema, "#/properties/"+pointer(in.Name)).(map[string]any)
		if in.Description != "" {
			schema["description"] = term.VisibleLines(in.Description)
		}
		if in.Required {
			required = append(required, in.Name)
		} else {
			schema["default"] = in.Default
		}
		properties[in.Name] = schema
	}
	return map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
}

// within is a schema inside of another one, at a pointer: its references to itself lead there. Invisible
// characters in its descriptions are made visible.
func within(schema any, pointer string) any {
	switch schema := schema.(type) {
	case []any:
		for i := range schema {
			schema[i] = within(schema[i], pointer)
		}
	case map[string]any:
		for _, key := range slices.Collect(maps.Keys(schema)) {
			text, isText := schema[key].(string)
			switch {
			case key == "$ref" && isText && (text == "#" || strings.HasPrefix(text, "#/")):
				schema[key] = pointer + text[1:]
			case isText && (key == "description" || key == "title" || key == "$comment"):
				schema[key] = term.VisibleLines(text)
			case key != "enum" && key != "const" && key != "default" && key != "examples":
				schema[key] = within(schema[key], pointer)
			}
		}
	}
	return schema
}

// pointer is a name as a token of a JSON pointer.
func pointer(name string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(name) }

// outputSchema names the outputs, whose types are not known before the run. It is nil for a workflow
// without outputs, whose result is a text.
func outputSchema(w *workflows.Workflow) any {
	if len(w.Outputs) == 0 {
		return nil
	}
	properties, required := map[string]any{}, []string{}
	for _, out := range w.Outputs {
		properties[out.Name] = map[string]any{}
		required = append(required, out.Name)
	}
	return map[string]any{"type": "object", "properties": properties, "required": required}
}
