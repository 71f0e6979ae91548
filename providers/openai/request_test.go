package openai

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire/wiretest"
)

// sent returns the request that a model makes, as a value.
func sent(t *testing.T, options Options, req providers.Request) map[string]any {
	t.Helper()
	transport := wiretest.Answering(wiretest.Stream, lines(completed))
	options.HTTPClient = &http.Client{Transport: transport}
	return transport.Sent(t, New(options), req)
}

// at is the endpoint of a service of one's own.
func at(provider, baseURL string) providers.Endpoint {
	return providers.Endpoint{Provider: provider, Model: "m", BaseURL: baseURL}
}

var readTool = providers.ToolSpec{
	Name: "read", Description: "Reads.",
	Parameters: []byte(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"additionalProperties":false}`),
}

// answer is a message of the provider under test.
func answer(blocks ...providers.Block) providers.Message {
	return providers.Message{Role: providers.RoleAssistant, Provider: "openai", Blocks: blocks}
}

func TestRequests(t *testing.T) {
	own := Options{Endpoint: providers.Endpoint{Model: "gpt-5", APIKey: "sk-0123456789"}}
	plain := Options{Endpoint: providers.Endpoint{Model: "gpt-4o-mini", APIKey: "sk-0123456789"}}
	loose := json.RawMessage(`{"type":"object","properties":{"a":{"type":"integer"}},"additionalProperties":true}`)
	hi := `{"role":"user","content":"Hi"}`
	reasoning := providers.Block{Type: providers.BlockThinking, Raw: []byte(`{"type":"reasoning","id":"rs","summary":[],"encrypted_content":"E<"}`)}
	lost := providers.Block{Type: providers.BlockThinking, Raw: []byte(`{"type":"reasoning","id":"rs","summary":[]}`)}
	text := providers.Block{Type: providers.BlockText, Text: "a", Raw: []byte(`{"type":"message","id":"m","role":"assistant","phase":"commentary","content":[]}`)}
	call := providers.Block{Type: providers.BlockToolCall, ID: "c", Name: "f", Arguments: []byte(`{}`), Raw: []byte(`{"type":"function_call","id":"fc","call_id":"c","name":"f","arguments":"{}"}`)}
	search := providers.Block{Type: providers.BlockThinking, Raw: []byte(`{"type":"web_search_call","id":"w"}`)}
	user := providers.UserText("Hi")
	for _, c := range []struct {
		name    string
		options Options
		req     providers.Request
		want    string
	}{
		{"the least", own, providers.Request{}, `{"model":"gpt-5","stream":true,"store":false,"include":["reasoning.encrypted_content"],
			"input":[` + hi + `],"tools":null,"tool_choice":null,"text":null,"reasoning":null,"instructions":null,"parallel_tool_calls":null}`},
		{"a model that does not reason", plain, providers.Request{}, `{"include":null,"store":false}`},
		{"system", own, providers.Request{System: "Be <kind>."}, `{"instructions":"Be <kind>."}`},
		{"parameters", own, providers.Request{Params: providers.Params{
			Temperature: new(0.0), TopP: new(0.5), Seed: new(int64(7)), MaxOutputTokens: 9, ReasoningEffort: "low"}},
			`{"temperature":0,"top_p":0.5,"seed":null,"max_output_tokens":9,"reasoning":{"effort":"low"}}`},
		{"budget", own, providers.Request{Params: providers.Params{ReasoningBudget: 50_000}}, `{"reasoning":{"effort":"high"}}`},
		{"strict tool", own, providers.Request{Tools: []providers.ToolSpec{readTool}}, `{"tools":[{"type":"function",
			"name":"read","description":"Reads.","strict":true,"parameters":` + string(readTool.Parameters) + `}]}`},
		{"tool that is too loose", own, providers.Request{Tools: []providers.ToolSpec{{Name: "f", Parameters: loose}}}, `{"tools":[{"type":"function",
			"name":"f","strict":false,"parameters":` + string(loose) + `}]}`},
		{"tool without parameters", own, providers.Request{Tools: []providers.ToolSpec{{Name: "f"}}}, `{"tools":[{"type":"function",
			"name":"f","strict":false,"parameters":{"type":"object","properties":{}}}]}`},
		{"force", own, providers.Request{Tools: []providers.ToolSpec{readTool}, Force: "read"}, `{"tool_choice":{"type":"function","name":"read"}}`},
		{"no tools", own, providers.Request{Tools: []providers.ToolSpec{readTool}, NoTools: true}, `{"tool_choice":"none"}`},
		{"output, strict", own, providers.Request{Output: &providers.Output{Name: "o", Schema: readTool.Parameters}},
			`{"text":{"format":{"type":"json_schema","name":"o","strict":true,"schema":` + string(readTool.Parameters) + `}}}`},
		{"output, too loose", own, providers.Request{Output: &providers.Output{Name: "o", Schema: loose}},
			`{"text":{"format":{"type":"json_schema","name":"o","strict":false,"schema":` + string(loose) + `}}}`},

		{"items go back as they came", own, providers.Request{Messages: []providers.Message{answer(reasoning, search, text, call), user}},
			`{"input":[` + string(reasoning.Raw) + `,` + string(search.Raw) + `,` + string(text.Raw) + `,` + string(call.Raw) + `,` + hi + `]}`},
		{"reasoning at the end has no item to follow it", own, providers.Request{Messages: []providers.Message{answer(text, reasoning), user}},
			`{"input":[` + string(text.Raw) + `,` + hi + `]}`},
		{"reasoning that could not be found again", own, providers.Request{Messages: []providers.Message{answer(lost, text), user}},
			`{"input":[` + string(text.Raw) + `,` + hi + `]}`},
		{"reasoning for a model that does not reason", plain, providers.Request{Messages: []providers.Message{answer(reasoning, text, call), user}},
			`{"input":[{"role":"assistant","content":"a"},{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},` + hi + `]}`},
		{"a piece of the item before it", own, providers.Request{Messages: []providers.Message{answer(text, providers.Block{Type: providers.BlockThinking, Text: "no", Raw: []byte(`{}`)}), user}},
			`{"input":[` + string(text.Raw) + `,` + hi + `]}`},
		{"a cut call is made anew", own, providers.Request{Messages: []providers.Message{answer(providers.Block{Type: providers.BlockToolCall, ID: "c", Name: "f", Arguments: []byte(`{"x`), Raw: call.Raw}), user}},
			`{"input":[{"type":"function_call","call_id":"c","name":"f","arguments":"{\"invalid_json\":\"{\\\"x\"}"},` + hi + `]}`},
		{"results", own, providers.Request{Messages: []providers.Message{{Role: providers.RoleTool, Blocks: []providers.Block{{Type: providers.BlockToolResult, CallID: "c", Content: "r"}}}}},
			`{"input":[{"type":"function_call_output","call_id":"c","output":"r"}]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			wiretest.WantFields(t, sent(t, c.options, c.req), c.want)
		})
	}
}

func TestInfo(t *testing.T) {
	for _, c := range []struct {
		options Options
		want    providers.Info
	}{
		{Options{}, providers.Info{Provider: "openai", StructuredOutput: true}},
		{Options{Endpoint: at("vllm", "http://localhost:8000/v1")}, providers.Info{Provider: "vllm", StructuredAlone: true}},
		{Options{Endpoint: at("vllm", "http://localhost:8000/v1"), StructuredOutput: new(true)}, providers.Info{Provider: "vllm", StructuredOutput: true}},
	} {
		if got := New(c.options).Info(); got != c.want {
			t.Errorf("info %+v, want %+v", got, c.want)
		}
	}
}

func TestReasons(t *testing.T) {
	for model, want := range map[string]bool{
		"gpt-5": true, "gpt-5-mini": true, "o4-mini": true, "gpt-oss:120b": true, "openai/o3": true, "codex-mini": true,
		"gpt-4o": false, "gpt-4.1-mini": false, "openai/gpt-4o": false, "gpt-5-chat-latest": false, "chatgpt-4o-latest": false, "gpt-3.5-turbo": false,
	} {
		if got := reasons(model); got != want {
			t.Errorf("%s reasons: %v, want %v", model, got, want)
		}
	}
}
