package google

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire/wiretest"
)

// wireFormat reads one answer.
var wireFormat = wiretest.Format(func(client *http.Client) providers.Model {
	return New(Options{Endpoint: providers.Endpoint{Ref: "p/m", Model: "m", BaseURL: "http://127.0.0.1:1", HTTPClient: client}})
})

// events writes each part as a chunk of its own, then the finish.
func events(finish string, parts ...string) string {
	var b strings.Builder
	for _, part := range parts {
		b.WriteString(`data: {"candidates": [{"content": {"parts": [` + part + `],"role": "model"},"index": 0}]}` + "\r\n\r\n")
	}
	b.WriteString(`data: {"candidates": [{"content": {"parts": [{"text": ""}]},"finishReason": "` + finish + `","index": 0}]}` + "\r\n\r\n")
	return b.String()
}

var decodings = wiretest.Decodings{
	{"leading blanks and lines stay", events("STOP", `{"text": " \n"}`, `{"text": "a "}`), "stop text( \na )"},
	{"LF, comments, no space after the colon", ": wait\n\ndata:{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\"}]},\"finishReason\":\"STOP\"}]}\n\n: bye\n", "stop text(a)"},
	{"last event without its blank line", `data: {"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}]}`, "stop text(a)"},
	{"several parts in one chunk", events("STOP", `{"text":"hm","thought":true},{"text":"a"},{"text":"b"}`), "stop thinking(hm) text(ab)"},
	{"thoughts and text by turns", events("STOP", `{"text":"1","thought":true}`, `{"text":"2"}`, `{"text":"3","thought":true}`), "stop thinking(1) text(2) thinking(3)"},
	{"no parts", `data: {"candidates":[{"content":{"role":"model"},"finishReason":"STOP"}]}` + "\n\n", "stop"},
	{"no content", `data: {"candidates":[{"finishReason":"STOP"}]}` + "\n\n", "stop"},
	{"another candidate is not ours", `data: {"candidates":[{"index":1,"content":{"parts":[{"text":"b"}]},"finishReason":"SAFETY"}]}` + "\n\n" + events("STOP", `{"text":"a"}`), "stop text(a)"},
	{"error null", `data: {"error":null,"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}]}` + "\n\n", "stop text(a)"},
	{"text after the finish", events("STOP", `{"text":"a"}`) + events("MAX_TOKENS", `{"text":"b"}`), "length text(ab)"},

	{"a call with an id", events("STOP", `{"functionCall":{"name":"f","args":{"x":1},"id":"a"}}`),
		`tool_calls call(a f {"x":1}){"functionCall":{"name":"f","args":{"x":1},"id":"a"}}`},
	{"a call without", events("STOP", `{"functionCall":{"name":"f","args":{}}}`), `tool_calls call(made-up f {}){"functionCall":{"name":"f","args":{}}}`},
	{"arguments null", events("STOP", `{"functionCall":{"id":"a","name":"f","args":null}}`), `tool_calls call(a f {}){"functionCall":{"id":"a","name":"f","args":null}}`},
	{"arguments absent", events("STOP", `{"functionCall":{"id":"a","name":"f"}}`), `tool_calls call(a f {}){"functionCall":{"id":"a","name":"f"}}`},
	{"spaces and integers in arguments stay", events("STOP", `{"functionCall":{"id":"a","name":"f","args":{ "x" : 12345678901234567890 }}}`),
		`tool_calls call(a f { "x" : 12345678901234567890 }){"functionCall":{"id":"a","name":"f","args":{ "x" : 12345678901234567890 }}}`},
	{"two calls with one id", events("STOP", `{"functionCall":{"id":"a","name":"f"}},{"functionCall":{"id":"a","name":"g"}}`),
		`tool_calls call(a f {}){"functionCall":{"id":"a","name":"f"}} call(made-up g {}){"functionCall":{"id":"a","name":"g"}}`},
	{"text around calls keeps its place", events("STOP", `{"text":"a"}`, `{"functionCall":{"id":"c","name":"f"}}`, `{"text":"b"}`),
		`tool_calls text(a) call(c f {}){"functionCall":{"id":"c","name":"f"}} text(b)`},
	{"calls and length", events("MAX_TOKENS", `{"functionCall":{"id":"a","name":"f"}}`), `length call(a f {}){"functionCall":{"id":"a","name":"f"}}`},
	{"calls and safety", events("SAFETY", `{"functionCall":{"id":"a","name":"f"}}`), `content_filter call(a f {}){"functionCall":{"id":"a","name":"f"}}`},
	{"a tool that was never declared", events("UNEXPECTED_TOOL_CALL", `{"functionCall":{"id":"a","name":"f"}}`), `tool_calls call(a f {}){"functionCall":{"id":"a","name":"f"}}`},

	{"a signature on the first of two calls", events("STOP", `{"functionCall":{"id":"a","name":"f"},"thoughtSignature": "S+/=="}`, `{"functionCall":{"id":"b","name":"g"}}`),
		`tool_calls call(a f {}){"functionCall":{"id":"a","name":"f"},"thoughtSignature": "S+/=="} call(b g {}){"functionCall":{"id":"b","name":"g"}}`},
	{"a signature on an empty text", events("STOP", `{"text":"a"}`, `{"text": "","thoughtSignature":"S"}`), `stop text(a) thinking(){"text": "","thoughtSignature":"S"}`},
	{"a signature on a text", events("STOP", `{"text":"a"}`, `{"text":"b","thoughtSignature":"S"}`, `{"text":"c"}`), `stop text(a) text(b){"text":"b","thoughtSignature":"S"} text(c)`},
	{"a signature on a thought", events("STOP", `{"text":"a","thought":true,"thoughtSignature":"S"}`, `{"text":"b"}`), `stop thinking(a){"text":"a","thought":true,"thoughtSignature":"S"} text(b)`},
	{"a signature alone", events("STOP", `{"thoughtSignature":"S"}`), `stop thinking(){"thoughtSignature":"S"}`},
	{"code that the service ran", events("STOP", `{"executableCode":{"code":"1"}}`, `{"codeExecutionResult":{"outcome":"OUTCOME_OK"}}`, `{"text":"a"}`),
		`stop thinking(){"executableCode":{"code":"1"}} thinking(){"codeExecutionResult":{"outcome":"OUTCOME_OK"}} text(a)`},

	{"filtered", events("RECITATION", `{"text":"a"}`), "content_filter text(a)"},
	{"blocked", `data: {"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"}}` + "\n\n", "content_filter"},
	{"all thinking", events("MAX_TOKENS", `{"text":"hm","thought":true}`), "length thinking(hm)"},
}

func TestDecoding(t *testing.T) { wireFormat.Run(t, decodings) }

func TestDocumentsInPlaceOfAStream(t *testing.T) {
	const (
		first  = "{\n  \"candidates\": [{\"content\": {\"parts\": [{\"text\": \"a\"}]}}],\r\n  \"usageMetadata\": {\"promptTokenCount\": 2}\n}"
		second = `{"candidates": [{"content": {"parts": [{"functionCall": {"id": "c", "name": "f"}}]}, "finishReason": "STOP"}], "usageMetadata": {"promptTokenCount": 3}}`
		call   = `call(c f {}){"functionCall": {"id": "c", "name": "f"}}`
	)
	for _, c := range []struct{ name, body, want string }{
		{"a list", "[" + first + "\n,\r\n" + second + "\n]\n", "tool_calls text(a) " + call},
		{"one", second, "tool_calls " + call},
	} {
		for _, contentType := range []string{"application/json; charset=utf-8", "text/plain", ""} {
			message, err := wireFormat.Decode(contentType, c.body, nil)
			if err != nil {
				t.Fatalf("%s, %q: %v", c.name, contentType, err)
			}
			if got := wiretest.Brief(message); got != c.want || message.Usage.InputTokens != 3 {
				t.Errorf("%s, %q: %s, usage %+v; want %s", c.name, contentType, got, message.Usage, c.want)
			}
		}
	}
}

func TestBrokenStreams(t *testing.T) {
	wireFormat.RunBroken(t, wiretest.Breakages{
		{"no finish reason", `data: {"candidates":[{"content":{"parts":[{"text":"a"}]}}]}` + "\n\n", providers.KindNetwork, true, "cut off"},
		{"usage alone", `data: {"usageMetadata":{"promptTokenCount":1}}` + "\n\n", providers.KindNetwork, true, "cut off"},
		{"cut in an event", events("STOP") + `data: {"candidates":[{"con`, providers.KindNetwork, true, "cut off"},
		{"a list that is cut", "[{\n\"candidates\": [{\"content\": {}}]\n}\n,\n{\"cand", providers.KindNetwork, true, "cut off"},
		{"a list of nothing", "[]\n", providers.KindNetwork, true, "cut off"},
		{"a call without a name", events("STOP", `{"functionCall":{"args":{}}}`), providers.KindProvider, true, "a tool call has no name"},
		{"parts that are none", events("STOP", `7`), providers.KindProvider, true, "malformed part"},
		{"candidates that are none", "data: {\"candidates\":7}\n\n", providers.KindProvider, true, "malformed event"},
		{"two documents in one", "data: {} {}\n\n", providers.KindProvider, true, "malformed event"},
		{"a call that can't be read", `data: {"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL","finishMessage":"Malformed function call: print(f(1))"}]}` + "\n\n", providers.KindProvider, true, "MALFORMED_FUNCTION_CALL: Malformed function call: print(f(1))"},
		{"an unexpected call, unseen", events("UNEXPECTED_TOOL_CALL", `{"text":"a"}`), providers.KindProvider, true, "UNEXPECTED_TOOL_CALL"},
		{"a reason that nobody knows", events("OTHER", `{"text":"a"}`), providers.KindProvider, true, "OTHER"},
		{"a language that it does not speak", events("LANGUAGE"), providers.KindProvider, false, "LANGUAGE"},
		{"an error after the finish", events("STOP", `{"text":"a"}`) + "{\n\"error\": {\"code\": 499, \"message\": \"m\", \"status\": \"CANCELLED\"}\n}\n", providers.KindProvider, true, "m"},
		{"an error in an event", `data: {"error": {"code": 503, "message": "busy", "status": "UNAVAILABLE"}}` + "\r\n\r\n", providers.KindOverloaded, true, "busy"},
		{"an error in a list", "[{\"candidates\":[{\"content\":{}}]}\n,\n{\"error\": {\"code\": 429, \"message\": \"m\", \"status\": \"RESOURCE_EXHAUSTED\"}}\n]\n", providers.KindRateLimited, true, "m"},
		{"something else", `{"hello":"world"}`, providers.KindProvider, false, "unexpected response"},
	})
}

func TestUsage(t *testing.T) {
	for _, c := range []struct {
		name, usage string
		want        providers.Usage
	}{
		{"all of it", `{"promptTokenCount":10,"toolUsePromptTokenCount":5,"candidatesTokenCount":7,"thoughtsTokenCount":3,"cachedContentTokenCount":4,"totalTokenCount":25}`,
			providers.Usage{InputTokens: 15, OutputTokens: 10, CachedInputTokens: 4, ReasoningTokens: 3}},
		{"zero counts are left out", `{"promptTokenCount":10,"totalTokenCount":10}`, providers.Usage{InputTokens: 10}},
	} {
		t.Run(c.name, func(t *testing.T) {
			body := `data: {"candidates":[{"content":{"parts":[{"text":"a"}]}}],"usageMetadata":{"promptTokenCount":99,"candidatesTokenCount":99}}` + "\n\n" +
				`data: {"candidates":[{"finishReason":"STOP"}],"usageMetadata":` + c.usage + "}\n\n"
			message, err := wireFormat.Decode(wiretest.Stream, body, nil)
			if err != nil || message.Usage != c.want {
				t.Errorf("usage %+v, want %+v; error %v", message.Usage, c.want, err)
			}
		})
	}
}

// FuzzStream reads anything.
func FuzzStream(f *testing.F) {
	f.Add("application/json", `[{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}]}]`)
	wireFormat.Fuzz(f, decodings, func(t *testing.T, message providers.Message) {
		message.Provider = "google"
		req := providers.Request{Messages: []providers.Message{providers.UserText("a"), message, providers.UserText("b")}}
		if wire.JSON(New(Options{}).request(req)) == nil {
			t.Error("the answer can't be sent back")
		}
	})
}

// BenchmarkStream reads an answer of 200 texts and a call.
func BenchmarkStream(b *testing.B) {
	var parts []string
	for i := range 200 {
		parts = append(parts, `{"text": "word `+strconv.Itoa(i)+` "}`)
	}
	parts = append(parts, `{"functionCall": {"name": "f", "args": {"x": 1}}, "thoughtSignature": "`+strings.Repeat("c2ln", 500)+`"}`)
	wireFormat.Benchmark(b, events("STOP", parts...))
}
