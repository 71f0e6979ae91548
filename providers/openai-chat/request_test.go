package openaichat

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
	transport := wiretest.Answering(wiretest.Stream, events("stop", `{"content":"a"}`))
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

func TestRequests(t *testing.T) {
	local := Options{Endpoint: at("vllm", "http://127.0.0.1:1/v1")}
	own := Options{Endpoint: providers.Endpoint{Model: "m", APIKey: "sk-0123456789"}}
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
			Temperature: new(0.0), TopP: new(0.5), Seed: new(int64(7)), MaxOutputTokens: 9, ReasoningEffort: "low"}},
			`{"temperature":0,"top_p":0.5,"seed":7,"max_tokens":9,"max_completion_tokens":null,"reasoning_effort":"low"}`},
		{"limit at OpenAI", own, providers.Request{Params: providers.Params{MaxOutputTokens: 9}}, `{"max_completion_tokens":9,"max_tokens":null}`},
		{"limit as told", Options{Endpoint: at("gateway", "http://h/v1"), Native: true}, providers.Request{Params: providers.Params{MaxOutputTokens: 9}},
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
		{"answers without reasoning, where it must come back", Options{Endpoint: at("deepseek", "https://api.DeepSeek.com/v1")}, providers.Request{Messages: []providers.Message{
			providers.UserText("a"),
			{Role: providers.RoleAssistant, Provider: "another", Blocks: []providers.Block{{Type: providers.BlockThinking, Text: "x", Raw: []byte(`{"reasoning_content":"x"}`)}, {Type: providers.BlockText, Text: "t"}}},
			{Role: providers.RoleAssistant, Provider: "deepseek", Blocks: []providers.Block{{Type: providers.BlockThinking, Text: "y", Raw: []byte(`{"reasoning_content":"y"}`)}, {Type: providers.BlockText, Text: "u"}}},
			{Role: providers.RoleAssistant, Provider: "deepseek", Blocks: []providers.Block{{Type: providers.BlockToolCall, ID: "c", Name: "f", Arguments: []byte(`{}`)}}},
			{Role: providers.RoleAssistant, Provider: "another", Blocks: []providers.Block{{Type: providers.BlockThinking, Text: "all that there is"}}},
		}}, `{"messages":[{"role":"user","content":"a"},
			{"role":"assistant","content":"t","reasoning_content":" "},
			{"role":"assistant","content":"u","reasoning_content":"y"},
			{"role":"assistant","reasoning_content":" ","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}]}`},
		{"fields of the endpoint's own", Options{Endpoint: providers.Endpoint{Model: "m", BaseURL: "http://h/v1", Body: []byte(`{"stream_options":null,"provider":{"order":["groq"]},"temperature":0.5}`)}},
			providers.Request{Params: providers.Params{Temperature: new(1.0)}},
			`{"model":"m","stream":true,"stream_options":null,"provider":{"order":["groq"]},"temperature":0.5,"messages":[{"role":"user","content":"Hi"}]}`},
		{"several texts are one", local, providers.Request{Messages: []providers.Message{
			{Role: providers.RoleUser, Blocks: []providers.Block{{Type: providers.BlockText, Text: "a"}, {Type: providers.BlockText, Text: "b"}}},
		}}, `{"messages":[{"role":"user","content":"a\n\nb"}]}`},
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
		{Options{}, providers.Info{Provider: "openai-chat", StructuredOutput: true}},
		{Options{Endpoint: at("vllm", "http://localhost:8000/v1")}, providers.Info{Provider: "vllm", StructuredAlone: true}},
		{Options{Endpoint: at("vllm", "http://localhost:8000/v1"), StructuredOutput: new(true)}, providers.Info{Provider: "vllm", StructuredOutput: true}},
	} {
		if got := New(c.options).Info(); got != c.want {
			t.Errorf("info %+v, want %+v", got, c.want)
		}
	}
}
