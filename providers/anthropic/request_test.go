package anthropic

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire/wiretest"
)

// sent returns the request that a model makes, as a value, and what it goes
// with.
func sent(t *testing.T, options Options, req providers.Request) (map[string]any, *http.Request) {
	t.Helper()
	transport := wiretest.Answering(wiretest.Stream, answered("end_turn", `{"type":"text","text":"a"}`))
	options.HTTPClient = &http.Client{Transport: transport}
	return transport.Sent(t, New(options), req), transport.Request
}

// claude is a model of the vendor's own.
func claude(model string) Options {
	return Options{Endpoint: providers.Endpoint{Ref: "anthropic/" + model, Model: model, APIKey: "sk-0123456789"}}
}

var readTool = providers.ToolSpec{
	Name: "read", Description: "Reads.",
	Parameters: []byte(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`),
}

const (
	readSent  = `{"name":"read","description":"Reads.","cache_control":{"type":"ephemeral"},"input_schema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}}`
	hiSent    = `{"role":"user","content":[{"type":"text","text":"Hi"}]}`
	hiMarked  = `{"role":"user","content":[{"type":"text","text":"Hi","cache_control":{"type":"ephemeral"}}]}`
	adaptive  = `{"type":"adaptive","display":"summarized"}`
	onlyCount = `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`
)

func TestRequests(t *testing.T) {
	offered := []providers.ToolSpec{readTool}
	for _, c := range []struct {
		name    string
		options Options
		req     providers.Request
		want    string
	}{
		{"the least", claude("claude-sonnet-4-5"), providers.Request{}, `{"model":"claude-sonnet-4-5","stream":true,"max_tokens":64000,
			"messages":[` + hiSent + `],"system":null,"tools":null,"tool_choice":null,"thinking":null,"output_config":null,"temperature":null}`},
		{"an unknown model", Options{Endpoint: providers.Endpoint{Model: "m", BaseURL: "http://h"}}, providers.Request{}, `{"max_tokens":32000}`},
		{"a limit of the request", claude("claude-opus-4-6"), providers.Request{Params: providers.Params{MaxOutputTokens: 9}}, `{"max_tokens":9}`},
		{"system", claude("claude-opus-4-6"), providers.Request{System: "Be <kind>."},
			`{"system":[{"type":"text","text":"Be <kind>.","cache_control":{"type":"ephemeral"}}],"messages":[` + hiSent + `]}`},
		{"tool", claude("claude-opus-4-6"), providers.Request{Tools: offered}, `{"tools":[` + readSent + `],"tool_choice":null,"messages":[` + hiMarked + `]}`},
		{"tool without parameters", claude("claude-opus-4-6"), providers.Request{Tools: []providers.ToolSpec{{Name: "f"}}},
			`{"tools":[{"name":"f","input_schema":{"type":"object","properties":{}},"cache_control":{"type":"ephemeral"}}]}`},
		{"no tools", claude("claude-opus-4-6"), providers.Request{Tools: offered, NoTools: true, Force: "read"},
			`{"tools":[` + readSent + `],"tool_choice":{"type":"none"},"messages":[` + hiSent + `]}`},
		{"force", claude("claude-opus-4-6"), providers.Request{Tools: offered, Force: "read"}, `{"tool_choice":{"type":"tool","name":"read"},"thinking":null}`},
		{"force goes before thinking", claude("claude-opus-4-6"), providers.Request{Tools: offered, Force: "read", Params: providers.Params{ReasoningEffort: "high"}},
			`{"tool_choice":{"type":"tool","name":"read"},"thinking":null,"output_config":null}`},
		{"force where thinking is on unasked", claude("claude-sonnet-5"), providers.Request{Tools: offered, Force: "read"},
			`{"tool_choice":{"type":"tool","name":"read"},"thinking":{"type":"disabled"}}`},
		{"force where thinking is always on", claude("claude-fable-5"), providers.Request{Tools: offered, Force: "read", Params: providers.Params{ReasoningEffort: "low"}},
			`{"tool_choice":null,"thinking":` + adaptive + `,"output_config":{"effort":"low"}}`},
		{"output", claude("claude-opus-4-6"), providers.Request{Output: &providers.Output{Name: "o", Schema: []byte(onlyCount)}},
			`{"system":null,"output_config":{"format":{"type":"json_schema","schema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}}}}`},
		{"output and effort", claude("claude-opus-4-8"), providers.Request{Output: &providers.Output{Name: "o", Schema: []byte(onlyCount)}, Params: providers.Params{ReasoningEffort: "medium"}},
			`{"output_config":{"effort":"medium","format":{"type":"json_schema","schema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}}}}`},
		{"output that is a map", claude("claude-opus-4-6"), providers.Request{System: "S", Output: &providers.Output{Name: "o", Schema: []byte(`{"type":"object"}`)}},
			`{"output_config":null,"system":[{"type":"text","text":"S"},{"type":"text","cache_control":{"type":"ephemeral"},
				"text":"Your final answer has to be JSON, with nothing before or after it, that fits this JSON Schema:\n{\"type\":\"object\"}"}]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _ := sent(t, c.options, c.req)
			wiretest.WantFields(t, got, c.want)
		})
	}
}

func TestReasoning(t *testing.T) {
	for _, c := range []struct {
		name, model string
		params      providers.Params
		want        string
	}{
		{"low effort as a budget", "claude-sonnet-4-5", providers.Params{ReasoningEffort: "low"}, `{"thinking":{"type":"enabled","budget_tokens":4096},"max_tokens":64000}`},
		{"minimal effort as a budget", "claude-sonnet-4-5", providers.Params{ReasoningEffort: "minimal"}, `{"thinking":{"type":"enabled","budget_tokens":1024}}`},
		{"xhigh effort as a budget", "claude-sonnet-4-5", providers.Params{ReasoningEffort: "xhigh"}, `{"thinking":{"type":"enabled","budget_tokens":49152}}`},
		{"max effort below the limit", "claude-sonnet-4-5", providers.Params{ReasoningEffort: "max"}, `{"thinking":{"type":"enabled","budget_tokens":48000},"max_tokens":64000}`},
		{"no effort", "claude-sonnet-4-5", providers.Params{ReasoningEffort: "none"}, `{"thinking":null,"output_config":null}`},
		{"no effort where it thinks by default", "claude-sonnet-5", providers.Params{ReasoningEffort: "none"}, `{"thinking":{"type":"disabled"},"output_config":null}`},
		{"max effort", "claude-opus-4-8", providers.Params{ReasoningEffort: "max"}, `{"thinking":` + adaptive + `,"output_config":{"effort":"max"}}`},
		{"medium effort as a budget", "claude-opus-4-5", providers.Params{ReasoningEffort: "medium"}, `{"thinking":{"type":"enabled","budget_tokens":16384}}`},
		{"high effort as a budget", "claude-haiku-4-5", providers.Params{ReasoningEffort: "high"}, `{"thinking":{"type":"enabled","budget_tokens":32768},"output_config":null}`},
		{"high effort below the limit", "claude-opus-4-1", providers.Params{ReasoningEffort: "high"}, `{"thinking":{"type":"enabled","budget_tokens":24000},"max_tokens":32000}`},
		{"budget", "claude-sonnet-4-5", providers.Params{ReasoningBudget: 4000, MaxOutputTokens: 4096}, `{"thinking":{"type":"enabled","budget_tokens":4000},"max_tokens":4096}`},
		{"budget above the limit", "claude-sonnet-4-5", providers.Params{ReasoningBudget: 8000, MaxOutputTokens: 4000}, `{"thinking":{"type":"enabled","budget_tokens":3000}}`},
		{"budget below the least", "claude-sonnet-4-5", providers.Params{ReasoningBudget: 10}, `{"thinking":{"type":"enabled","budget_tokens":1024}}`},
		{"budget in a small limit", "claude-sonnet-4-5", providers.Params{ReasoningBudget: 2000, MaxOutputTokens: 1100}, `{"thinking":{"type":"enabled","budget_tokens":1024}}`},
		{"budget where both are known", "claude-opus-4-6", providers.Params{ReasoningBudget: 2000}, `{"thinking":{"type":"enabled","budget_tokens":2000},"output_config":null}`},
		{"effort where both are known", "claude-opus-4-6", providers.Params{ReasoningEffort: "high"}, `{"thinking":` + adaptive + `,"output_config":{"effort":"high"}}`},
		{"small budget as an effort", "claude-opus-4-7", providers.Params{ReasoningBudget: 2000}, `{"thinking":` + adaptive + `,"output_config":{"effort":"low"}}`},
		{"large budget as an effort", "claude-sonnet-5-5", providers.Params{ReasoningBudget: 60_000}, `{"thinking":` + adaptive + `,"output_config":{"effort":"high"}}`},
		{"adaptive in a small limit", "claude-opus-4-7", providers.Params{ReasoningEffort: "low", MaxOutputTokens: 100}, `{"thinking":` + adaptive + `,"max_tokens":100}`},
		{"none asked, and none by default", "claude-opus-4-8", providers.Params{}, `{"thinking":null,"output_config":null}`},
		{"none asked, but on by default", "claude-opus-5", providers.Params{}, `{"thinking":null,"output_config":null}`},

		{"temperature and top_p", "claude-3-haiku-20240307", providers.Params{Temperature: new(0.0), TopP: new(0.5)}, `{"temperature":0,"top_p":0.5}`},
		{"one of them", "claude-sonnet-4-5", providers.Params{Temperature: new(0.0), TopP: new(0.5)}, `{"temperature":0,"top_p":null}`},
		{"top_p alone", "claude-sonnet-4-5", providers.Params{TopP: new(0.5)}, `{"temperature":null,"top_p":0.5}`},
		{"unexpected response", "claude-opus-4-7", providers.Params{Temperature: new(0.0), TopP: new(0.5)}, `{"temperature":null,"top_p":null}`},
		{"neither while thinking", "claude-opus-4-6", providers.Params{Temperature: new(0.0), TopP: new(0.5), ReasoningEffort: "low"}, `{"temperature":null,"top_p":null}`},
		{"large top_p while thinking", "claude-opus-4-6", providers.Params{TopP: new(0.95), ReasoningEffort: "low"}, `{"temperature":null,"top_p":0.95}`},
		{"seed", "claude-opus-4-6", providers.Params{Seed: new(int64(7))}, `{"seed":null}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _ := sent(t, claude(c.model), providers.Request{Params: c.params})
			wiretest.WantFields(t, got, c.want)
		})
	}
}

// TestMisuse has requests that can't be made. Nothing is sent.
func TestMisuse(t *testing.T) {
	for _, c := range []struct {
		name    string
		options Options
		req     providers.Request
		want    string
	}{
		{"no key", Options{Endpoint: providers.Endpoint{Model: "claude-opus-4-6"}}, providers.Request{}, "no API key"},
		{"reasoning of a model that has none", claude("claude-3-5-haiku-latest"), providers.Request{Params: providers.Params{ReasoningEffort: "low"}}, "does not support reasoning"},
		{"no effort of a model that always reasons", claude("claude-opus-5-5"), providers.Request{Params: providers.Params{ReasoningEffort: "none"}}, "always reasons"},
		{"no room for reasoning", claude("claude-sonnet-4-5"), providers.Request{Params: providers.Params{ReasoningBudget: 5000, MaxOutputTokens: 1024}}, "at least 1024 tokens"},
		{"a tool that is not offered", claude("claude-opus-4-6"), providers.Request{Force: "write"}, "tool \"write\", which it does not offer"},
		{"parameters that are no JSON", claude("claude-opus-4-6"), providers.Request{Tools: []providers.ToolSpec{{Name: "f", Parameters: []byte("{")}}}, "no JSON"},
	} {
		t.Run(c.name, func(t *testing.T) {
			transport := wiretest.Answering(wiretest.Stream, "")
			c.options.HTTPClient = &http.Client{Transport: transport}
			_, err := New(c.options).Stream(context.Background(), c.req, nil)
			if providers.KindOf(err) != providers.KindConfiguration || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
			if transport.Request != nil {
				t.Error("a request was sent")
			}
		})
	}
}

func TestHeadersAndAddress(t *testing.T) {
	for _, c := range []struct{ base, want string }{
		{"", "https://api.anthropic.com/v1/messages"},
		{"https://h", "https://h/v1/messages"},
		{"https://h/", "https://h/v1/messages"},
		{"https://h/v1/", "https://h/v1/messages"},
		{"https://h/api/anthropic/v1?api-version=2", "https://h/api/anthropic/v1/messages?api-version=2"},
	} {
		_, req := sent(t, Options{Endpoint: providers.Endpoint{
			Model: "m", BaseURL: c.base, APIKey: "sk-mine", Headers: map[string]string{"Anthropic-Beta": "context-1m-2025-08-07"},
		}}, providers.Request{})
		if got := req.URL.String(); got != c.want {
			t.Errorf("%q: asked at %s, want %s", c.base, got, c.want)
		}
		for name, want := range map[string]string{
			"X-Api-Key": "sk-mine", "Anthropic-Version": "2023-06-01", "Anthropic-Beta": "context-1m-2025-08-07", "Authorization": "",
		} {
			if got := req.Header.Get(name); got != want {
				t.Errorf("header %s: %q, want %q", name, got, want)
			}
		}
	}
}

func TestInfo(t *testing.T) {
	for _, c := range []struct {
		options Options
		want    providers.Info
	}{
		{claude("claude-opus-4-6"), providers.Info{Ref: "anthropic/claude-opus-4-6", Provider: "anthropic", StructuredOutput: true}},
		{claude("claude-sonnet-4-0"), providers.Info{Ref: "anthropic/claude-sonnet-4-0", Provider: "anthropic"}},
		{Options{Endpoint: providers.Endpoint{Model: "claude-opus-4-6", BaseURL: "https://api.anthropic.com.evil.example", Provider: "evil"}}, providers.Info{Provider: "evil"}},
		{Options{Endpoint: providers.Endpoint{Model: "m", BaseURL: "http://localhost", Provider: "own"}, StructuredOutput: new(true)}, providers.Info{Provider: "own", StructuredOutput: true}},
	} {
		if got := New(c.options).Info(); got != c.want {
			t.Errorf("info %+v, want %+v", got, c.want)
		}
	}
}

// TestSameBytes: the beginning of a request is the same for the same
// conversation, or nothing of it would be found in a cache.
func TestSameBytes(t *testing.T) {
	transport := wiretest.Answering(wiretest.Stream, answered("end_turn", `{"type":"text","text":"a"}`))
	options := claude("claude-opus-4-6")
	options.HTTPClient = &http.Client{Transport: transport}
	model := New(options)
	req := providers.Request{
		System: "S", Tools: []providers.ToolSpec{readTool, {Name: "now"}}, Messages: []providers.Message{providers.UserText("Hi")},
		Output: &providers.Output{Name: "o", Schema: []byte(onlyCount)},
	}
	var before []byte
	for range 5 {
		transport.Sent(t, model, req)
		if before != nil && string(before) != string(transport.Body) {
			t.Fatalf("sent %s\nand then %s", before, transport.Body)
		}
		before = transport.Body
	}
	if !json.Valid(before) {
		t.Errorf("sent %s", before)
	}
}
