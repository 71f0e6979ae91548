package mcp

import (
	"context"
	"encoding/json"
	"io"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a-seed-11b9befa/flow/tools"
)

// tool is a tool of a server, as it was announced. It does not change.
type tool struct {
	server   *Server
	name     string // the server's name for it
	readOnly bool   // according to the server
	spec     tools.Spec
}

// Spec returns the server's description of the tool.
func (t *tool) Spec() tools.Spec { return t.spec }

// Effects returns everything, or for a tool that the server calls read-only, reading of
// everything. What the server says only matters for which calls run in parallel.
func (t *tool) Effects(json.RawMessage) tools.Effects {
	if t.readOnly {
		return tools.Effects{Reads: []string{"/"}}
	}
	return tools.Everything()
}

// Run calls the tool.
func (t *tool) Run(ctx context.Context, arguments json.RawMessage, out *tools.Output) (tools.Result, error) {
	var result *sdk.CallToolResult
	live, note, err := t.server.ready(ctx)
	if err == nil {
		result, err = t.server.call(ctx, live, t.name, arguments)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return tools.Result{Failed: true}, context.Cause(ctx)
	case err != nil:
		return tools.Result{Failed: true, Note: strings.TrimPrefix(note+"\n"+err.Error(), "\n")}, nil
	case result.NeedsInput():
		return tools.Result{Failed: true, Note: "The server asks for input in the middle of the call, which nobody can give here."}, nil
	}
	text := contentText(t.server.o.Mask, result)
	if text == "" && note == "" {
		note = "(the server answered with nothing)"
	}
	if _, err := io.WriteString(out, text); err != nil {
		return tools.Result{Failed: true}, err
	}
	return tools.Result{Failed: result.IsError, Note: note}, nil
}
