package openaichat

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/providertest"
)

// conversation is one of so many turns, each with a call: its messages are this
// provider's own, or those of another, whose ids are too long to be sent.
func conversation(turns int, provider string) []providers.Message {
	list := []providers.Message{providers.UserText("Go.")}
	for i := range turns {
		id := fmt.Sprintf("call_%s_%d", strings.Repeat("x", 40), i)
		list = append(list,
			providers.Message{Role: providers.RoleAssistant, Provider: provider, Blocks: []providers.Block{
				{Type: providers.BlockToolCall, ID: id, Name: "read", Arguments: json.RawMessage(`{"path":"a"}`)},
			}},
			providers.Message{Role: providers.RoleTool, Blocks: []providers.Block{
				{Type: providers.BlockToolResult, CallID: id, Content: strings.Repeat("A line of a file.\n", 100)},
			}})
	}
	return list
}

// TestMemo sends a conversation turn by turn: what goes out is what goes out
// without a memo.
func TestMemo(t *testing.T) {
	options := Options{Endpoint: at("vllm", "http://127.0.0.1:1/v1")}
	for _, provider := range []string{"vllm", "another"} {
		memo := new(providers.Memo)
		transport := &providertest.Transport{Stream: events("stop", `{"content":"a"}`)}
		options.HTTPClient = &http.Client{Transport: transport}
		model := New(options)
		whole := conversation(4, provider)
		for n := 1; n <= len(whole); n++ {
			req := providers.Request{System: "Be brief.", Messages: whole[:n], Tools: []providers.ToolSpec{readTool}, Memo: memo}
			got := transport.Sent(t, model, req)
			req.Memo = nil
			if want := transport.Sent(t, model, req); !reflect.DeepEqual(got, want) {
				t.Errorf("%d messages of %s: sent %v, want %v", n, provider, got, want)
			}
		}
	}
}

// answering is a service that costs nothing.
type answering string

func (a answering) RoundTrip(req *http.Request) (*http.Response, error) {
	if _, err := io.Copy(io.Discard, req.Body); err != nil {
		return nil, err
	}
	header := http.Header{"Content-Type": {"text/event-stream"}}
	return &http.Response{StatusCode: http.StatusOK, Header: header, Body: io.NopCloser(strings.NewReader(string(a))), Request: req}, nil
}

// BenchmarkRequest asks once more in a conversation that has gone on for a
// while.
func BenchmarkRequest(b *testing.B) {
	for _, turns := range []int{1, 10, 100} {
		b.Run(fmt.Sprint(turns), func(b *testing.B) {
			options := Options{Endpoint: at("vllm", "http://127.0.0.1:1/v1")}
			options.HTTPClient = &http.Client{Transport: answering(events("stop", `{"content":"a"}`))}
			model := New(options)
			req := providers.Request{Messages: conversation(turns, "vllm"), Tools: []providers.ToolSpec{readTool}, Memo: new(providers.Memo)}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := model.Stream(b.Context(), req, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
