package mcp

import (
	"encoding/json"
	"io"
	"os"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a-seed-11b9befa/flow/tools"
)

// FuzzMessages reads what a server may print, and what is in it: a result, and
// a list of tools whose schemas have to be usable.
func FuzzMessages(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"a"}],"structuredContent":{"a":1}}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"resource","resource":{"uri":"a","blob":"AAAA"}},null,{"type":"x"}]}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","inputSchema":{"type":"object","properties":{"x":{"$ref":"#"}}}},null]}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","inputSchema":{"anyOf":[{"$ref":"#/$defs/A"},{"allOf":[{"properties":{"x":{}}},{"required":["x"]}]}],"$defs":{"A":{"$ref":"#/anyOf/1"}}}}]}}`,
		`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}` + "\n\n" + `{"jsonrpc":"2.0","id":"q","method":"ping"}`,
		"debug\n{\n[]\n\x00",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, printed []byte) {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		if len(printed) > 32<<10 {
			return // more than a pipe surely takes
		}
		w.Write(printed)
		w.Close()
		c := &lines{in: r, junk: func(string) {}}
		if _, err := c.Connect(t.Context()); err != nil {
			t.Fatal(err)
		}
		for {
			message, err := c.Read(t.Context())
			if err != nil {
				if err != io.EOF && err != errTooManyRequests && err != errTooMuch {
					t.Fatal(err)
				}
				return
			}
			if answer, ok := message.(*jsonrpc.Response); ok {
				use(t, answer.Result)
			}
		}
	})
}

func use(t *testing.T, result json.RawMessage) {
	var called sdk.CallToolResult
	if json.Unmarshal(result, &called) == nil {
		contentText(nil, &called)
	}
	var listed sdk.ListToolsResult
	if json.Unmarshal(result, &listed) != nil {
		return
	}
	s := New(Options{Name: "fuzz"})
	for _, announced := range listed.Tools {
		if announced == nil {
			continue
		}
		made, problem := s.newTool(announced, "fuzz_tool")
		if problem != "" {
			continue
		}
		if _, err := tools.NewSet([]tools.Entry{{Tool: made}}, tools.SetOptions{}); err != nil {
			t.Errorf("the tool can't be offered: %v", err)
		}
	}
}
