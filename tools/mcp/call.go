package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a-seed-11b9befa/flow/internal/trace"
	"github.com/a-seed-11b9befa/flow/tools/internal/process"
)

// restartNote tells a model that the server has lost its state.
const restartNote = "The server had ended and was started again before this call: what it held is gone."

// brokenWait is how long a session whose connection is broken takes to end.
const brokenWait = leaveTime + process.Grace + drainTime + 2*shortWait

// call calls a tool by the server's own name for it. The error is for the model, unless ctx is done.
func (s *Server) call(ctx context.Context, live *session, name string, arguments json.RawMessage) (*sdk.CallToolResult, error) {
	bounded, cancel := context.WithTimeout(ctx, s.o.Timeout)
	defer cancel()
	params := &sdk.CallToolParams{Name: name, Arguments: arguments}
	if span := trace.Header(ctx); span != "" {
		params.Meta = sdk.Meta{"traceparent": span}
	}
	result, err := live.client.CallTool(bounded, params)
	switch {
	case err == nil, ctx.Err() != nil:
		return result, err
	case bounded.Err() != nil:
		return nil, fmt.Errorf("MCP server %q: no answer within %v; the call was cancelled", s.o.Name, s.o.Timeout)
	}
	return nil, errors.New(s.wrong(live, err))
}

// ready returns a session that seems to be running, and a note if the server was started again for it.
func (s *Server) ready(ctx context.Context) (live *session, note string, err error) {
	if err := s.acquire(ctx); err != nil {
		return nil, "", err
	}
	defer s.release()
	anew, err := s.running(ctx)
	if anew {
		note = restartNote
	}
	return s.live, note, err
}

// notSent is the code of the SDK's own error for an HTTP response that is not one of the
// protocol.
const notSent = -32005

// wrong returns the failure of a call that has no result.
func (s *Server) wrong(live *session, err error) string {
	var answered *jsonrpc.Error
	if errors.As(err, &answered) && answered.Code != notSent {
		return fmt.Sprintf("MCP server %q answers with an error: %s (%d)", s.o.Name, shown(s.o.Mask, answered.Message, maxError), answered.Code)
	}
	wait := brokenWait
	if live.child == nil {
		wait = shortWait // most failures of one request end no session by HTTP
	}
	if process.Within(wait, live.ended) {
		return fmt.Sprintf("MCP server %q ended during the call: %s\nIt is not known whether the call had its effect.", s.o.Name, live.reason)
	}
	return fmt.Sprintf("MCP server %q: %s", s.o.Name, shown(s.o.Mask, err.Error(), maxError))
}
