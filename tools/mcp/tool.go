package mcp

import (
	"context"
	"encoding/json"
	"io"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools"
)

// A tool is one of a server's, as it was announced once. It does not change.
type tool struct {
	server   *Server
	name     string // the server's own
	readOnly bool   // by its own word
	spec     tools.Spec
}

// Spec describes the tool in the server's words.
func (t *tool) Spec() tools.Spec { return t.spec }

// Effects are unknown, but for a tool that says that it only reads: it may read
// everything. The word of a server decides about no more than which calls run
// side by side.
func (t *tool) Effects(json.RawMessage) tools.Effects {
	if t.readOnly {
		return tools.Effects{Reads: []string{"/"}}
	}
	return tools.Everything()
}

// Run calls the tool.
func (t *tool) Run(ctx context.Context, arguments json.RawMessage, out *tools.Output) (tools.Result, error) {
	result, note, failure, err := t.server.call(ctx, t.name, arguments)
	switch {
	case err != nil:
		return tools.Result{Failed: true}, err
	case failure != "":
		return tools.Result{Failed: true, Note: strings.TrimPrefix(note+"\n"+failure, "\n")}, nil
	case result.NeedsInput():
		return tools.Result{Failed: true, Note: "The server asks for input in the middle of the call, which nobody can give here."}, nil
	}
	text := contentText(result)
	if text == "" && note == "" {
		note = "(the server answered with nothing)"
	}
	if _, err := io.WriteString(out, text); err != nil {
		return tools.Result{Failed: true}, err
	}
	return tools.Result{Failed: result.IsError, Note: note}, nil
}
