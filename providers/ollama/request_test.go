package ollama

import (
	"net/http"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire/wiretest"
)

const done = `{"message":{"role":"assistant","content":"a"},"done":true,"done_reason":"stop","prompt_eval_count":50,"eval_count":1}` + "\n"

// sent returns the request that a model makes, as a value.
func sent(t *testing.T, at providers.Endpoint, req providers.Request) (map[string]any, *http.Request) {
	t.Helper()
	transport := wiretest.Answering("application/x-ndjson", done)
	at.HTTPClient = &http.Client{Transport: transport}
	return transport.Sent(t, New(Options{Endpoint: at}), req), transport.Request
}

func TestRequests(t *testing.T) {
	read := providers.ToolSpec{Name: "read", Description: "Reads.", Parameters: []byte(`{"type":"object","properties":{"path":{"type":"string"}}}`)}
	now := providers.ToolSpec{Name: "now"}
	const readSent = `{"type":"function","function":{"name":"read","description":"Reads.","parameters":{"type":"object","properties":{"path":{"type":"string"}}}}}`
	const nowSent = `{"type":"function","function":{"name":"now","parameters":{"type":"object","properties":{}}}}`
	said := func(provider string, blocks ...providers.Block) providers.Request {
		return providers.Request{Messages: []providers.Message{
			providers.UserText("a"), {Role: providers.RoleAssistant, Provider: provider, Blocks: blocks}, providers.UserText("b"),
		}}
	}
	call := func(arguments string) providers.Block {
		return providers.Block{Type: providers.BlockToolCall, ID: "c", Name: "f", Arguments: []byte(arguments)}
	}
	answered := func(answer string) string {
		return `{"messages":[{"role":"user","content":"a"},` + answer + `{"role":"user","content":"b"}]}`
	}
	for _, c := range []struct {
		name string
		body string
		req  providers.Request
		want string
	}{
		{"the least", "", providers.Request{}, `{"model":"m","stream":true,"truncate":false,"shift":false,
			"messages":[{"role":"user","content":"Hi"}],"tools":null,"format":null,"think":null,"options":null}`},
		{"system", "", providers.Request{System: "Be <kind>."}, `{"messages":[{"role":"system","content":"Be <kind>."},{"role":"user","content":"Hi"}]}`},
		{"parameters", "", providers.Request{Params: providers.Params{
			Temperature: new(0.0), TopP: new(0.5), Seed: new(int64(7)), MaxOutputTokens: 9, ReasoningEffort: "low"}},
			`{"options":{"temperature":0,"top_p":0.5,"seed":7,"num_predict":9},"think":"low"}`},
		{"budget", "", providers.Request{Params: providers.Params{ReasoningBudget: 10_000}}, `{"think":"medium"}`},
		{"no thinking", "", providers.Request{Params: providers.Params{ReasoningEffort: "none"}}, `{"think":false}`},
		{"little thinking", "", providers.Request{Params: providers.Params{ReasoningEffort: "minimal"}}, `{"think":"low"}`},
		{"much thinking", "", providers.Request{Params: providers.Params{ReasoningEffort: "max"}}, `{"think":"high"}`},
		{"tools", "", providers.Request{Tools: []providers.ToolSpec{read, now}}, `{"tools":[` + readSent + `,` + nowSent + `]}`},
		{"force", "", providers.Request{Tools: []providers.ToolSpec{read, now}, Force: "now"}, `{"tools":[` + nowSent + `]}`},
		{"no tools", "", providers.Request{Tools: []providers.ToolSpec{read, now}, NoTools: true}, `{"tools":null}`},
		{"output", "", providers.Request{Output: &providers.Output{Name: "o", Schema: read.Parameters}}, `{"format":` + string(read.Parameters) + `}`},
		{"a longer context, and no thinking", `{"options":{"num_ctx":32768},"think":false,"keep_alive":"1h"}`,
			providers.Request{Params: providers.Params{MaxOutputTokens: 9, ReasoningEffort: "low"}},
			`{"options":{"num_predict":9,"num_ctx":32768},"think":false,"keep_alive":"1h"}`},
		{"its own thoughts", "", said("ollama", providers.Block{Type: providers.BlockThinking, Text: "hm"}, call(`{"x": 1}`)),
			answered(`{"role":"assistant","content":"","thinking":"hm","tool_calls":[{"id":"c","function":{"name":"f","arguments":{"x":1}}}]},`)},
		{"another's thoughts", "", said("other", providers.Block{Type: providers.BlockThinking, Text: "hm"}), answered("")},
		{"arguments that were cut", "", said("ollama", call(`{"x": `)),
			answered(`{"role":"assistant","content":"","tool_calls":[{"id":"c","function":{"name":"f","arguments":{"invalid_json":"{\"x\": "}}}]},`)},
		{"arguments that are a list", "", said("ollama", call(`[1]`)),
			answered(`{"role":"assistant","content":"","tool_calls":[{"id":"c","function":{"name":"f","arguments":{"invalid_json":"[1]"}}}]},`)},
		{"no arguments", "", said("ollama", call("")),
			answered(`{"role":"assistant","content":"","tool_calls":[{"id":"c","function":{"name":"f","arguments":{}}}]},`)},
		{"a result", "", providers.Request{Messages: []providers.Message{{Role: providers.RoleTool, Blocks: []providers.Block{
			{Type: providers.BlockToolResult, CallID: "c", Name: "f", Content: "r"}, {Type: providers.BlockText, Text: "and"}}}}},
			`{"messages":[{"role":"tool","content":"r","tool_name":"f","tool_call_id":"c"},{"role":"user","content":"and"}]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _ := sent(t, providers.Endpoint{Model: "m", Body: []byte(c.body)}, c.req)
			wiretest.WantFields(t, got, c.want)
		})
	}
}

func TestAddress(t *testing.T) {
	_, req := sent(t, providers.Endpoint{}, providers.Request{})
	if got := req.URL.String(); got != "http://127.0.0.1:11434/api/chat" || req.Header.Get("Authorization") != "" {
		t.Errorf("asked at %s with %v", got, req.Header)
	}
	_, req = sent(t, providers.Endpoint{BaseURL: "https://h/x/?team=a", APIKey: "k", Headers: map[string]string{"X-Team": "docs"}}, providers.Request{})
	if req.URL.String() != "https://h/x/api/chat?team=a" || req.Header.Get("Authorization") != "Bearer k" || req.Header.Get("X-Team") != "docs" {
		t.Errorf("asked at %s with %v", req.URL, req.Header)
	}
}

func TestInfo(t *testing.T) {
	want := providers.Info{Ref: "r", Provider: "ollama", StructuredAlone: true}
	if got := New(Options{Endpoint: providers.Endpoint{Ref: "r"}}).Info(); got != want {
		t.Errorf("info %+v, want %+v", got, want)
	}
}
