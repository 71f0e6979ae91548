package serve

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestCancelledHasNoResponse: a call that was cancelled has none, whatever its id is like;
// all others have theirs, also a call that has the id of one that is over.
func TestCancelledHasNoResponse(t *testing.T) {
	const said = `{"jsonrpc":"2.0","id":1,"method":"tools/call"}
{"jsonrpc":"2.0","id":"1","method":"tools/call"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
{"jsonrpc":"2.0","id":3,"method":"tools/call"}
{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}
{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}
{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}
`
	var out bytes.Buffer
	c, err := unanswered{&sdk.IOTransport{Reader: io.NopCloser(strings.NewReader(said)), Writer: unclosed{&out}}}.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for range strings.Count(said, "\n") {
		if _, err := c.Read(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for _, of := range []any{1.0, "1", 2.0, 3.0, 1.0} {
		id, err := jsonrpc.MakeID(of)
		if err == nil {
			err = c.Write(t.Context(), &jsonrpc.Response{ID: id, Result: []byte("{}")})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	const want = `{"jsonrpc":"2.0","id":"1","result":{}}
{"jsonrpc":"2.0","id":2,"result":{}}
{"jsonrpc":"2.0","id":3,"result":{}}
{"jsonrpc":"2.0","id":1,"result":{}}
`
	if out.String() != want {
		t.Errorf("written is\n%swant\n%s", &out, want)
	}
}
