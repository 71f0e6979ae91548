package serve

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// unanswered is a transport without responses to cancelled calls of tools: the protocol forbids
// them, and the SDK writes them.
type unanswered struct{ sdk.Transport }

func (t unanswered) Connect(ctx context.Context) (sdk.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	return &unansweredConn{Connection: c}, err
}

type unansweredConn struct {
	sdk.Connection
	cancelled sync.Map // whether it is, by the id of each call that has no response yet
}

// Read records a cancellation before it can end the call.
func (c *unansweredConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	r, _ := m.(*jsonrpc.Request)
	var p sdk.CancelledParams
	switch {
	case r == nil:
	case r.Method == "tools/call":
		c.cancelled.Store(r.ID, false)
	case r.Method == "notifications/cancelled" && json.Unmarshal(r.Params, &p) == nil:
		if id, err := jsonrpc.MakeID(p.RequestID); err == nil {
			c.cancelled.CompareAndSwap(id, false, true)
		}
	}
	return m, err
}

func (c *unansweredConn) Write(ctx context.Context, m jsonrpc.Message) error {
	if r, ok := m.(*jsonrpc.Response); ok {
		if cancelled, _ := c.cancelled.LoadAndDelete(r.ID); cancelled == true {
			return nil
		}
	}
	return c.Connection.Write(ctx, m)
}
