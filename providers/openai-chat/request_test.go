package openaichat

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/providers"
)

// sent returns the request that a model makes, as a value.
func sent(t *testing.T, options Options, req providers.Request) (map[string]any, http.Header) {
	t.Helper()
	var body []byte
	var header http.Header
	options.HTTPClient = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		header = r.Header
		var err error
		body, err = io.ReadAll(r.Body)
		return &http.Response{
			StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}},
			Body: io.NopCloser(strings.NewReader(events("stop", `{"content":"a"}`))),
		}, err
	})}
	if len(req.Messages) == 0 {
		req.Messages = []providers.Message{providers.UserText("Hi")}
	}
	if _, err := New(options).Stream(context.Background(), req, nil); err != nil {
		t.Fatal(err)
	}
	var value map[string]any
	if err := json.Unmarshal(body, &value); err != nil {
		t.Fatal(err)
	}
	return value, header
}

type roundTrip func(*http.Request) (*http.Response, error)

// RoundTrip answers without a network.
func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// wantFields compares some fields of a request; null stands for one that must
// not be there.
func wantFields(t *testing.T, got map[string]any, want string) {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal([]byte(want), &fields); err != nil {
		t.Fatal(err)
	}
	for name, value := range fields {
		if diff := cmp.Diff(value, got[name]); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func pointer[T any](value T) *T { return &value }

var readTool = providers.ToolSpec{
	Name: "read", Description: "Reads.",
	Parameters: []byte(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"additionalProperties":false}`),
}

func TestRequests(t *testing.T) {
	local := Options{Provider: "vllm", Model: "m", BaseURL: "http://127.0.0.1:1/v1"}
	own := Options{Model: "m", APIKey: "sk-0123456789"}
	loose := json.RawMessage(`{"type":"object","properties":{"a":{"type":"integer"}},"additionalProperties":true}`)
	for _, c := range []struct {
		name    string
		options Options
		req     providers.Request
		want    string
	}{
		{"the least", local, providers.Request{}, `{"model":"m","stream":true,"stream_options":{"include_usage":true},
			"messages":[{"role":"user","content":"Hi"}],"tools":null,"tool_choice":null,"response_format":null,"parallel_tool_calls":null}`},
		{"system", local, providers.Request{System: "Be <kind>."}, `{"messages":[{"role":"system","content":"Be <kind>."},{"role":"user","content":"Hi"}]}`},
		{"parameters", local, providers.Request{Params: providers.Params{
			Temperature: pointer(0.0), TopP: pointer(0.5), Seed: pointer(int64(7)), MaxOutputTokens: 9, ReasoningEffort: "low"}},
			`{"temperature":0,"top_p":0.5,"seed":7,"max_tokens":9,"max_completion_tokens":null,"reasoning_effort":"low"}`},
		{"limit at OpenAI", own, providers.Request{Params: providers.Params{MaxOutputTokens: 9}}, `{"max_completion_tokens":9,"max_tokens":null}`},
		{"limit as told", Options{Model: "m", BaseURL: "http://h/v1", MaxTokensField: "max_completion_tokens"}, providers.Request{Params: providers.Params{MaxOutputTokens: 9}},
			`{"max_completion_tokens":9,"max_tokens":null}`},
		{"small budget", local, providers.Request{Params: providers.Params{ReasoningBudget: 1024}}, `{"reasoning_effort":"low"}`},
		{"middle budget", local, providers.Request{Params: providers.Params{ReasoningBudget: 10_000}}, `{"reasoning_effort":"medium"}`},
		{"large budget", local, providers.Request{Params: providers.Params{ReasoningBudget: 50_000}}, `{"reasoning_effort":"high"}`},
		{"tool", local, providers.Request{Tools: []providers.ToolSpec{readTool}}, `{"tool_choice":null,"tools":[{"type":"function","function":{
			"name":"read","description":"Reads.","parameters":` + string(readTool.Parameters) + `}}]}`},
		{"tool at OpenAI, strict", own, providers.Request{Tools: []providers.ToolSpec{readTool}}, `{"tools":[{"type":"function","function":{
			"name":"read","description":"Reads.","strict":true,"parameters":` + string(readTool.Parameters) + `}}]}`},
		{"tool at OpenAI, too loose", own, providers.Request{Tools: []providers.ToolSpec{{Name: "f", Parameters: loose}}}, `{"tools":[{"type":"function","function":{
			"name":"f","strict":false,"parameters":` + string(loose) + `}}]}`},
		{"tool without parameters", local, providers.Request{Tools: []providers.ToolSpec{{Name: "f"}}}, `{"tools":[{"type":"function","function":{"name":"f"}}]}`},
		{"force", local, providers.Request{Tools: []providers.ToolSpec{readTool}, Force: "read"}, `{"tool_choice":{"type":"function","function":{"name":"read"}}}`},
		{"no tools", local, providers.Request{Tools: []providers.ToolSpec{readTool}, NoTools: true}, `{"tool_choice":"none"}`},
		{"output, strict", local, providers.Request{Output: &providers.Output{Name: "o", Schema: readTool.Parameters}},
			`{"response_format":{"type":"json_schema","json_schema":{"name":"o","strict":true,"schema":` + string(readTool.Parameters) + `}}}`},
		{"output, too loose", local, providers.Request{Output: &providers.Output{Name: "o", Schema: loose}},
			`{"response_format":{"type":"json_schema","json_schema":{"name":"o","strict":false,"schema":` + string(loose) + `}}}`},
		{"reasoning and refusal go back", local, providers.Request{Messages: []providers.Message{
			providers.UserText("a"),
			{Role: providers.RoleAssistant, Provider: "vllm", Blocks: []providers.Block{
				{Type: providers.BlockThinking, Text: "x", Raw: []byte(`{"reasoning":"x<","reasoning_details":[{"n":12345678901234567890}]}`)},
				{Type: providers.BlockToolCall, ID: "c", Name: "f", Arguments: []byte(`{"x": 1}`)},
			}},
			{Role: providers.RoleTool, Blocks: []providers.Block{{Type: providers.BlockToolResult, CallID: "c", Content: "r"}}},
			{Role: providers.RoleAssistant, Provider: "vllm", Blocks: []providers.Block{{Type: providers.BlockThinking, Text: "no", Raw: []byte(`{"refusal":"no"}`)}}},
			providers.UserText("b"),
		}}, `{"messages":[{"role":"user","content":"a"},
			{"role":"assistant","reasoning":"x<","reasoning_details":[{"n":12345678901234567890}],"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"x\": 1}"}}]},
			{"role":"tool","tool_call_id":"c","content":"r"},
			{"role":"assistant","content":"","refusal":"no"},
			{"role":"user","content":"b"}]}`},
		{"several texts are one", local, providers.Request{Messages: []providers.Message{
			{Role: providers.RoleUser, Blocks: []providers.Block{{Type: providers.BlockText, Text: "a"}, {Type: providers.BlockText, Text: "b"}}},
		}}, `{"messages":[{"role":"user","content":"a\n\nb"}]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _ := sent(t, c.options, c.req)
			wantFields(t, got, c.want)
		})
	}
}

func TestHeaders(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "leaked-key")
	t.Setenv("OPENAI_ORG_ID", "leaked-organisation")
	t.Setenv("OPENAI_BASE_URL", "http://leaked.example")
	t.Setenv("OPENAI_CUSTOM_HEADERS", "X-Leaked: leaked")
	_, header := sent(t, Options{Model: "m", BaseURL: "http://h/v1", Headers: map[string]string{"X-Title": "flow"}}, providers.Request{})
	if header.Get("X-Title") != "flow" {
		t.Errorf("header of the options: %q", header.Get("X-Title"))
	}
	for name, values := range header {
		if strings.HasPrefix(name, "X-Stainless") || strings.Contains(strings.Join(values, " "), "leaked") || name == "Authorization" {
			t.Errorf("header %s: %q", name, values)
		}
	}
	_, header = sent(t, Options{Model: "m", APIKey: "sk-mine"}, providers.Request{})
	if got := header.Get("Authorization"); got != "Bearer sk-mine" {
		t.Errorf("authorization %q", got)
	}
}

func TestNoKey(t *testing.T) {
	_, err := New(Options{Model: "m"}).Stream(context.Background(), providers.Request{Messages: []providers.Message{providers.UserText("Hi")}}, nil)
	if providers.KindOf(err) != providers.KindConfiguration {
		t.Errorf("error %v, want one of the configuration", err)
	}
}

func TestInfo(t *testing.T) {
	for _, c := range []struct {
		options Options
		want    providers.Info
	}{
		{Options{Ref: "r"}, providers.Info{Ref: "r", Provider: "openai-chat", StructuredOutput: true}},
		{Options{BaseURL: "https://x.openai.azure.com/openai/v1", Provider: "azure"}, providers.Info{Provider: "azure", StructuredOutput: true}},
		{Options{BaseURL: "http://localhost:8000/v1", Provider: "vllm"}, providers.Info{Provider: "vllm"}},
		{Options{BaseURL: "http://localhost:8000/v1", Provider: "vllm", StructuredOutput: pointer(true)}, providers.Info{Provider: "vllm", StructuredOutput: true}},
		{Options{BaseURL: "https://api.openai.com.evil.example/v1", Provider: "evil"}, providers.Info{Provider: "evil"}},
	} {
		if got := New(c.options).Info(); got != c.want {
			t.Errorf("info %+v, want %+v", got, c.want)
		}
	}
}
