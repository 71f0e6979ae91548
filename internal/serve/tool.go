package serve

import (
	"bytes"
	"context"
	"encoding/json"
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
	tool := &sdk.Tool{Name: name, Description: term.VisibleLines(strings.TrimSpace(w.Description)), InputSchema: inputSchema(w.Workflow)}
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
	var schema any
	if err := json.Unmarshal(w.Parameters(), &schema); err != nil {
		return map[string]any{"type": "object"}
	}
	return visible(schema)
}

// visible is a schema with the invisible characters of its descriptions made visible.
func visible(schema any) any {
	switch schema := schema.(type) {
	case []any:
		for i := range schema {
			schema[i] = visible(schema[i])
		}
	case map[string]any:
		for key, value := range schema {
			text, isText := value.(string)
			switch {
			case isText && (key == "description" || key == "title" || key == "$comment"):
				schema[key] = term.VisibleLines(text)
			case key != "enum" && key != "const" && key != "default" && key != "examples":
				schema[key] = visible(value)
			}
		}
	}
	return schema
}
