package mcp

import (
	"encoding/json"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestContentText has results as servers send them, and what a model reads.
func TestContentText(t *testing.T) {
	cases := []struct{ name, result, want string }{
		{"nothing", `{"content":[]}`, ""},
		{"text", `{"content":[{"type":"text","text":"a\n"},{"type":"text","text":"b"}]}`, "a\nb"},
		{"structured alone", `{"content":[],"structuredContent":{"b":1,"a":["<x>"]}}`, `{"a":["<x>"],"b":1}`},
		{"structured, and said", `{"content":[{"type":"text","text":"{\"a\": 1}"}],"structuredContent":{"a":1}}`, `{"a": 1}`},
		{"structured, and wrapped", `{"content":[{"type":"text","text":"one\n"}],"structuredContent":{"content":"one\n"}}`, "one"},
		{"structured, and not said", `{"content":[{"type":"text","text":"one"}],"structuredContent":{"content":["one"]}}`, "one\n{\"content\":[\"one\"]}"},
		{"not an object", `{"content":[],"structuredContent":[1]}`, `[1]`},
		{"an image of no type", `{"content":[{"type":"image","data":""}]}`, "[image: of an unknown type, 0 bytes]"},
		{"a link", `{"content":[{"type":"resource_link","uri":"a://b","name":"n\u0007","mimeType":"text/x","description":"d"}]}`, `[resource: a://b, n\u0007, text/x, d]`},
		{"an empty resource", `{"content":[{"type":"resource"}]}`, "[resource: empty]"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var r sdk.CallToolResult
			if err := json.Unmarshal([]byte(c.result), &r); err != nil {
				t.Fatal(err)
			}
			if got := contentText(nil, &r); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}
