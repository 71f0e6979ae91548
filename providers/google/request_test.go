package google

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire/wiretest"
)

// sent returns the request that a model makes, as a value.
func sent(t *testing.T, options Options, req providers.Request) (map[string]any, *http.Request) {
	t.Helper()
	transport := wiretest.Answering(wiretest.Stream, events("STOP", `{"text":"a"}`))
	options.HTTPClient = &http.Client{Transport: transport}
	body := transport.Sent(t, New(options), req)
	return body, transport.Request
}

// model is one at Google AI.
func model(name string) Options {
	return Options{Endpoint: providers.Endpoint{Model: name, APIKey: "AIza-0123456789"}}
}

var readTool = providers.ToolSpec{
	Name: "read", Description: "Reads.",
	Parameters: []byte(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"additionalProperties":false}`),
}

const hi = `{"role":"user","parts":[{"text":"Hi"}]}`

func TestRequests(t *testing.T) {
	newer, older := model("gemini-3-flash-preview"), model("gemini-2.5-flash")
	declared := `[{"functionDeclarations":[{"name":"read","description":"Reads.","parametersJsonSchema":` + string(readTool.Parameters) + `}]}]`
	reasoning := func(effort string, budget int) providers.Request {
		return providers.Request{Params: providers.Params{ReasoningEffort: effort, ReasoningBudget: budget}}
	}
	thinking := func(config string) string {
		return `{"generationConfig":{"thinkingConfig":{"includeThoughts":true,` + config + `}}}`
	}
	offer := []providers.ToolSpec{readTool}
	for _, c := range []struct {
		name    string
		options Options
		req     providers.Request
		want    string
	}{
		{"the least", newer, providers.Request{}, `{"contents":[` + hi + `],"systemInstruction":null,"tools":null,"toolConfig":null,"generationConfig":null}`},
		{"system", newer, providers.Request{System: "Be <kind>."}, `{"systemInstruction":{"parts":[{"text":"Be <kind>."}]},"contents":[` + hi + `]}`},
		{"parameters", newer, providers.Request{Params: providers.Params{
			Temperature: new(0.0), TopP: new(0.5), Seed: new(int64(7)), MaxOutputTokens: 9}},
			`{"generationConfig":{"temperature":0,"topP":0.5,"seed":7,"maxOutputTokens":9}}`},
		{"tools", newer, providers.Request{Tools: offer}, `{"tools":` + declared + `,"toolConfig":null}`},
		{"a forced tool", newer, providers.Request{Tools: offer, Force: "read"},
			`{"tools":` + declared + `,"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["read"]}}}`},
		{"no tools", newer, providers.Request{Tools: offer, NoTools: true, Force: "read"},
			`{"tools":` + declared + `,"toolConfig":{"functionCallingConfig":{"mode":"NONE"}}}`},
		{"no tools at all", newer, providers.Request{NoTools: true}, `{"tools":null,"toolConfig":null}`},
		{"tools that take nothing", newer, providers.Request{Tools: []providers.ToolSpec{
			{Name: "a"}, {Name: "b", Description: "B.", Parameters: []byte(`{"type":"object","properties":{},"additionalProperties":false}`)},
			{Name: "map", Parameters: []byte(`{"type":"object","additionalProperties":{"type":"string"}}`)},
			{Name: "one", Parameters: []byte(`{"type":"object","properties":{ },"required":[],"oneOf":[{"required":["a"]}]}`)},
		}}, `{"tools":[{"functionDeclarations":[{"name":"a","description":"a"},{"name":"b","description":"B."},
			{"name":"map","description":"map","parametersJsonSchema":{"type":"object","additionalProperties":{"type":"string"}}},
			{"name":"one","description":"one","parametersJsonSchema":{"type":"object","properties":{},"required":[],"oneOf":[{"required":["a"]}]}}]}]}`},
		{"the form of a schema is left out", newer, providers.Request{Tools: []providers.ToolSpec{
			{Name: "a", Parameters: []byte(`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"b":{"const":12345678901234567890}}}`)},
		}}, `{"tools":[{"functionDeclarations":[{"name":"a","description":"a","parametersJsonSchema":{"type":"object","properties":{"b":{"const":12345678901234567890}}}}]}]}`},
		{"output", newer, providers.Request{Output: &providers.Output{Name: "o", Schema: readTool.Parameters}},
			`{"generationConfig":{"responseMimeType":"application/json","responseJsonSchema":` + string(readTool.Parameters) + `}}`},

		{"a level", newer, reasoning("low", 0), thinking(`"thinkingLevel":"LOW"`)},
		{"a level for a budget", newer, reasoning("", 50_000), thinking(`"thinkingLevel":"HIGH"`)},
		{"the latest take a level", model("gemini-flash-latest"), reasoning("medium", 0), thinking(`"thinkingLevel":"MEDIUM"`)},
		{"a level that Gemini 3 Pro has not", model("models/gemini-3-pro-preview"), reasoning("medium", 0), thinking(`"thinkingLevel":"HIGH"`)},
		{"a budget", older, reasoning("", 2_000), thinking(`"thinkingBudget":2000`)},
		{"no budget for no effort", older, reasoning("none", 0), `{"generationConfig":{"thinkingConfig":{"includeThoughts":false,"thinkingBudget":0}}}`},
		{"the largest budget for the largest effort", model("gemini-2.5-pro"), reasoning("max", 0), thinking(`"thinkingBudget":32768`)},
		{"a budget for an effort", older, reasoning("medium", 0), thinking(`"thinkingBudget":8192`)},
		{"a budget beyond the model's", older, reasoning("", 100_000), thinking(`"thinkingBudget":24576`)},
		{"a budget beyond Pro's", model("gemini-2.5-pro"), reasoning("", 100_000), thinking(`"thinkingBudget":32768`)},
		{"a budget below Lite's", model("gemini-2.5-flash-lite"), reasoning("", 100), thinking(`"thinkingBudget":512`)},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _ := sent(t, c.options, c.req)
			wiretest.WantFields(t, got, c.want)
		})
	}
}

// call is a block of a call.
func call(id, name, raw string) providers.Block {
	b := providers.Block{Type: providers.BlockToolCall, ID: id, Name: name, Arguments: []byte(`{"x":12345678901234567890}`)}
	if raw != "" {
		b.Raw = []byte(raw)
	}
	return b
}

func result(id, name, content string) providers.Block {
	return providers.Block{Type: providers.BlockToolResult, CallID: id, Name: name, Content: content}
}

func by(provider string, blocks ...providers.Block) providers.Message {
	return providers.Message{Role: providers.RoleAssistant, Provider: provider, Blocks: blocks}
}

func results(blocks ...providers.Block) providers.Message {
	return providers.Message{Role: providers.RoleTool, Blocks: blocks}
}

func TestContents(t *testing.T) {
	text := func(text, raw string) providers.Block {
		b := providers.Block{Type: providers.BlockText, Text: text}
		if raw != "" {
			b.Raw = []byte(raw)
		}
		return b
	}
	thought := func(raw string) providers.Block {
		return providers.Block{Type: providers.BlockThinking, Text: "hm", Raw: json.RawMessage(raw)}
	}
	failed := result("c00000001", "f", "no")
	failed.Error = true
	const args = `"args":{"x":12345678901234567890}`
	const signedCall = `{"functionCall":{"id":"c","name":"f",` + args + `},"thoughtSignature":"S+/=="}`
	const skip = `"thoughtSignature":"skip_thought_signature_validator"`
	for _, c := range []struct {
		name, model string
		messages    []providers.Message
		want        string // of the contents behind the first
	}{
		{"as it came", "gemini-3-pro-preview", []providers.Message{by("google",
			thought(""), text("a", ""), text("b", `{"text":"b","thoughtSignature":"T"}`), call("c", "f", signedCall), thought(`{"text":"","thoughtSignature":"U"}`),
		), results(result("c", "f", "r"))},
			`{"role":"model","parts":[{"text":"a"},{"text":"b","thoughtSignature":"T"},` + signedCall + `,{"text":"","thoughtSignature":"U"}]},
			 {"role":"user","parts":[{"functionResponse":{"id":"c","name":"f","response":{"output":"r"}}}]}`},
		{"a made-up id stays here", "gemini-2.5-flash", []providers.Message{by("google", call("call_1", "f", `{"functionCall":{"name":"f",`+args+`}}`)), results(result("call_1", "f", "r"))},
			`{"role":"model","parts":[{"functionCall":{"name":"f",` + args + `}}]},
			 {"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"r"}}}]}`},
		{"results in the order of the calls", "gemini-2.5-flash", []providers.Message{
			by("google", call("call_1", "f", `{"functionCall":{"name":"f"}}`), call("call_2", "f", `{"functionCall":{"name":"f"}}`)),
			results(result("call_2", "f", "two"), result("call_1", "f", "one"))},
			`{"role":"model","parts":[{"functionCall":{"name":"f"}},{"functionCall":{"name":"f"}}]},
			 {"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"one"}}},{"functionResponse":{"name":"f","response":{"output":"two"}}}]}`},
		{"another provider's calls, for Gemini 3", "gemini-3-pro-preview", []providers.Message{by("anthropic", thought(`{"signature":"X"}`), text("a", `{"type":"text"}`), call("c00000001", "f", `{"x":1}`), call("d00000001", "g", "")),
			results(failed, result("d00000001", "g", ""))},
			`{"role":"model","parts":[{"text":"a"},{"functionCall":{"id":"c00000001","name":"f",` + args + `},` + skip + `},{"functionCall":{"id":"d00000001","name":"g",` + args + `}}]},
			 {"role":"user","parts":[{"functionResponse":{"id":"c00000001","name":"f","response":{"error":"no"}}},{"functionResponse":{"id":"d00000001","name":"g","response":{"output":""}}}]}`},
		{"another provider's calls, for an older one", "gemini-2.5-flash", []providers.Message{by("anthropic", call("c00000001", "f", "")), results(result("c00000001", "f", "r"))},
			`{"role":"model","parts":[{"functionCall":{"id":"c00000001","name":"f",` + args + `}}]},
			 {"role":"user","parts":[{"functionResponse":{"id":"c00000001","name":"f","response":{"output":"r"}}}]}`},
		{"an older Gemini's calls, for Gemini 3", "gemini-3-pro-preview", []providers.Message{by("google", call("call_1", "f", `{"functionCall":{"name":"f",`+args+`}}`)), results(result("call_1", "f", "r"))},
			`{"role":"model","parts":[{"functionCall":{"name":"f",` + args + `},` + skip + `}]},
			 {"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"r"}}}]}`},
		{"arguments that were cut, or are no object", "gemini-2.5-flash", []providers.Message{by("other",
			providers.Block{Type: providers.BlockToolCall, ID: "c00000001", Name: "f", Arguments: []byte(`{"x`)},
			providers.Block{Type: providers.BlockToolCall, ID: "d00000001", Name: "f", Arguments: []byte(`[1]`)},
			providers.Block{Type: providers.BlockToolCall, ID: "e00000001", Name: "f"}),
			results(result("c00000001", "f", ""), result("d00000001", "f", ""), result("e00000001", "f", ""))},
			`{"role":"model","parts":[{"functionCall":{"id":"c00000001","name":"f","args":{"invalid_json":"{\"x"}}},{"functionCall":{"id":"d00000001","name":"f","args":{"invalid_json":"[1]"}}},{"functionCall":{"id":"e00000001","name":"f","args":{}}}]},
			 {"role":"user","parts":[{"functionResponse":{"id":"c00000001","name":"f","response":{"output":""}}},{"functionResponse":{"id":"d00000001","name":"f","response":{"output":""}}},{"functionResponse":{"id":"e00000001","name":"f","response":{"output":""}}}]}`},
		{"sides alternate", "gemini-3-pro-preview", []providers.Message{by("google", call("c", "f", signedCall)), results(result("c", "f", "r")), by("other", thought("")), providers.UserText("b")},
			`{"role":"model","parts":[` + signedCall + `]},
			 {"role":"user","parts":[{"functionResponse":{"id":"c","name":"f","response":{"output":"r"}}},{"text":"b"}]}`},
		{"a signature alone", "gemini-3-pro-preview", []providers.Message{by("google", text("a", ""), thought(`{"thoughtSignature":"S"}`), thought(`{}`), thought(`{"thought":true}`)), providers.UserText("b")},
			`{"role":"model","parts":[{"text":"a"},{"text":"","thoughtSignature":"S"}]},{"role":"user","parts":[{"text":"b"}]}`},
		{"another format under our name", "gemini-3-pro-preview", []providers.Message{by("google", thought(`{"type":"reasoning","id":"r"}`), text("a", `{"type":"message"}`)), providers.UserText("b")},
			`{"role":"model","parts":[{"text":"a"}]},{"role":"user","parts":[{"text":"b"}]}`},
		{"a Raw that is no part", "gemini-3-pro-preview", []providers.Message{by("google", text("a", `[1]`), call("c", "f", `{"broken`)), results(result("c", "f", "r"))},
			`{"role":"model","parts":[{"text":"a"},{"functionCall":{"id":"c","name":"f",` + args + `},` + skip + `}]},
			 {"role":"user","parts":[{"functionResponse":{"id":"c","name":"f","response":{"output":"r"}}}]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _ := sent(t, model(c.model), providers.Request{Messages: append([]providers.Message{providers.UserText("Hi")}, c.messages...)})
			wiretest.WantFields(t, got, `{"contents":[`+hi+`,`+c.want+`]}`)
		})
	}
}

func TestHeaders(t *testing.T) {
	t.Setenv("GEMINI_API_KEY", "leaked-key")
	t.Setenv("GOOGLE_API_KEY", "leaked-key")
	t.Setenv("GOOGLE_GEMINI_BASE_URL", "http://leaked.example")
	options := model("gemini-3-pro-preview")
	options.Headers = map[string]string{"X-Title": "flow"}
	_, r := sent(t, options, providers.Request{})
	if got := r.Header.Get("X-Goog-Api-Key"); got != options.APIKey || strings.Contains(r.URL.String(), options.APIKey) {
		t.Errorf("key %q, URL %s", got, r.URL)
	}
	if r.Header.Get("X-Title") != "flow" || r.Header.Get("Authorization") != "" || r.URL.Host != "generativelanguage.googleapis.com" {
		t.Errorf("headers %v, host %s", r.Header, r.URL.Host)
	}
}

func TestMisuse(t *testing.T) {
	hello := providers.Request{Messages: []providers.Message{providers.UserText("Hi")}}
	broken := hello
	broken.Output = &providers.Output{Schema: []byte(`{`)}
	brokenTool := hello
	brokenTool.Tools = []providers.ToolSpec{{Name: "f", Parameters: []byte(`{`)}}
	for _, c := range []struct {
		name    string
		options Options
		req     providers.Request
		wants   string
	}{
		{"no key", Options{Endpoint: providers.Endpoint{Model: "m"}}, hello, "no API key"},
		{"no project", Options{Endpoint: providers.Endpoint{Model: "m"}, Vertex: &Vertex{}}, hello, "GOOGLE_CLOUD_PROJECT"},
		{"a schema that is no JSON", model("m"), broken, "no JSON"},
		{"parameters that are no JSON", model("m"), brokenTool, "no JSON"},
	} {
		_, err := New(c.options).Stream(context.Background(), c.req, nil)
		if providers.KindOf(err) != providers.KindConfiguration || !strings.Contains(err.Error(), c.wants) {
			t.Errorf("%s: error %v, want one of the configuration that says %q", c.name, err, c.wants)
		}
	}
}

// TestEmptyMessage: a message of which nothing is left is not sent.
func TestEmptyMessage(t *testing.T) {
	empty := providers.Request{Messages: []providers.Message{{Role: providers.RoleUser}, providers.UserText("Hi")}}
	contents := New(model("m")).contents(empty)
	if got := string(wire.JSON(contents)); got != `[{"role":"user","parts":[{"text":"Hi"}]}]` {
		t.Errorf("contents %s", got)
	}
}

func TestInfo(t *testing.T) {
	forced := model("gemini-2.5-pro")
	forced.Provider, forced.Ref, forced.StructuredOutput = "house", "house/x", new(true)
	for _, c := range []struct {
		options Options
		want    providers.Info
	}{
		{model("gemini-2.5-pro"), providers.Info{Provider: "google"}},
		{model("gemini-3.1-pro-preview"), providers.Info{Provider: "google", StructuredOutput: true}},
		{model("models/gemini-10-ultra"), providers.Info{Provider: "google", StructuredOutput: true}},
		{model("gemini-flash-latest"), providers.Info{Provider: "google", StructuredOutput: true}},
		{model("gemma-3-27b-it"), providers.Info{Provider: "google"}},
		{model("gemini-x"), providers.Info{Provider: "google"}},
		{forced, providers.Info{Ref: "house/x", Provider: "house", StructuredOutput: true}},
	} {
		if got := New(c.options).Info(); got != c.want {
			t.Errorf("%s: info %+v, want %+v", c.options.Model, got, c.want)
		}
	}
}
