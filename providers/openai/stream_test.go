package openai

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire/wiretest"
)

// wireFormat reads one answer.
var wireFormat = wiretest.Format(func(client *http.Client) providers.Model {
	return New(Options{Endpoint: providers.Endpoint{Ref: "p/m", Model: "m", BaseURL: "http://127.0.0.1:1", HTTPClient: client}})
})

// lines writes events, each given as its type and the rest of its fields.
func lines(events ...string) string {
	var b strings.Builder
	for _, event := range events {
		name, fields, _ := strings.Cut(event, " ")
		fmt.Fprintf(&b, "event: %s\ndata: {\"type\":%q%s}\n\n", name, name, fields)
	}
	return b.String()
}

const completed = `response.completed ,"response":{"status":"completed","output":[]}`

var decodings = wiretest.Decodings{
	{"deltas alone", lines(
		`response.output_item.added ,"output_index":0,"item":{"type":"message","content":[]}`,
		`response.output_text.delta ,"output_index":0,"delta":" a"`,
		`response.output_text.delta ,"output_index":0,"delta":"b "`,
		completed), "stop text( ab )"},
	{"items as they end", lines(
		`response.output_item.done ,"output_index":0,"item":{"type":"message","id":"m", "phase":"commentary","content":[{"type":"output_text","text":"a"},{"type":"output_text","text":"b"}]}`,
		completed), `stop text(ab){"type":"message","id":"m", "phase":"commentary","content":[{"type":"output_text","text":"a"},{"type":"output_text","text":"b"}]}`},
	{"items in the last event only", lines(
		`response.completed ,"response":{"status":"completed","output":[{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}]}`),
		`tool_calls call(c f {}){"type":"function_call","call_id":"c","name":"f","arguments":"{}"}`},
	{"the item counts for more than its deltas", lines(
		`response.output_text.delta ,"output_index":0,"delta":"old"`,
		`response.output_item.done ,"output_index":0,"item":{"type":"message","content":[{"type":"output_text","text":"new"}]}`,
		completed), `stop text(new){"type":"message","content":[{"type":"output_text","text":"new"}]}`},
	{"the first end of an item counts", lines(
		`response.output_item.done ,"output_index":0,"item":{"type":"reasoning","summary":[],"encrypted_content":"A"}`,
		`response.completed ,"response":{"status":"completed","output":[{"type":"reasoning","summary":[],"encrypted_content":"B"}]}`),
		`stop thinking(){"type":"reasoning","summary":[],"encrypted_content":"A"}`},
	{"ids that change", lines(
		`response.output_item.added ,"output_index":0,"item":{"type":"function_call","id":"1","call_id":"c","name":"f"}`,
		`response.function_call_arguments.delta ,"output_index":0,"item_id":"2","delta":"{\"x\":"`,
		`response.function_call_arguments.delta ,"output_index":0,"item_id":"3","delta":"1}"`,
		completed), `tool_calls call(c f {"x":1})`},
	{"parallel calls, mixed", lines(
		`response.output_item.added ,"output_index":0,"item":{"type":"function_call","call_id":"a","name":"f"}`,
		`response.output_item.added ,"output_index":1,"item":{"type":"function_call","call_id":"b","name":"g"}`,
		`response.function_call_arguments.delta ,"output_index":1,"delta":"{\"y\":2}"`,
		`response.function_call_arguments.delta ,"output_index":0,"delta":"{\"x\":1}"`,
		completed), `tool_calls call(a f {"x":1}) call(b g {"y":2})`},
	{"a call without an id loses its item", lines(
		`response.output_item.done ,"output_index":0,"item":{"type":"function_call","name":"f","arguments":"{}"}`,
		completed), `tool_calls call(made-up f {})`},
	{"a call of which the id comes at its end", lines(
		`response.function_call_arguments.delta ,"output_index":0,"delta":"{}"`,
		`response.output_item.done ,"output_index":0,"item":{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}`,
		completed), `tool_calls call(c f {}){"type":"function_call","call_id":"c","name":"f","arguments":"{}"}`},
	{"two calls with one id", lines(
		`response.output_item.done ,"output_index":0,"item":{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}`,
		`response.output_item.done ,"output_index":1,"item":{"type":"function_call","call_id":"c","name":"g","arguments":"{}"}`,
		completed), `tool_calls call(c f {}){"type":"function_call","call_id":"c","name":"f","arguments":"{}"} call(made-up g {})`},
	{"a call without arguments", lines(
		`response.output_item.done ,"output_index":0,"item":{"type":"function_call","call_id":"c","name":"f","arguments":""}`,
		completed), `tool_calls call(c f {}){"type":"function_call","call_id":"c","name":"f","arguments":""}`},
	{"reasoning with summaries", lines(
		`response.output_item.added ,"output_index":0,"item":{"type":"reasoning","summary":[],"encrypted_content":"early"}`,
		`response.reasoning_summary_text.delta ,"output_index":0,"summary_index":0,"delta":"s"`,
		`response.output_item.done ,"output_index":0,"item":{"type":"reasoning","summary":[{"type":"summary_text","text":"s"},{"type":"summary_text","text":"t"}],"encrypted_content":"E"}`,
		completed), `stop thinking(st){"type":"reasoning","summary":[{"type":"summary_text","text":"s"},{"type":"summary_text","text":"t"}],"encrypted_content":"E"}`},
	{"reasoning in the open", lines(
		`response.reasoning_text.delta ,"output_index":0,"delta":"h"`,
		`response.output_item.done ,"output_index":0,"item":{"type":"reasoning","summary":[],"content":[{"type":"reasoning_text","text":"hm"}]}`,
		completed), `stop thinking(hm){"type":"reasoning","summary":[],"content":[{"type":"reasoning_text","text":"hm"}]}`},
	{"refusal", lines(
		`response.refusal.delta ,"output_index":0,"delta":"I won't"`,
		`response.output_item.done ,"output_index":0,"item":{"type":"message","content":[{"type":"refusal","refusal":"I won't"}]}`,
		completed), `content_filter thinking(I won't){"type":"message","content":[{"type":"refusal","refusal":"I won't"}]}`},
	{"a refusal and a text are one item", lines(
		`response.output_item.done ,"output_index":0,"item":{"type":"message","content":[{"type":"refusal","refusal":"no"},{"type":"output_text","text":"a"}]}`,
		completed), `content_filter text(a){"type":"message","content":[{"type":"refusal","refusal":"no"},{"type":"output_text","text":"a"}]} thinking(no){}`},
	{"what the service runs itself is kept unread", lines(
		`response.output_item.done ,"output_index":0,"item":{"type":"web_search_call","id":"w","arguments":{"x":1},"content":"any"}`,
		`response.custom.delta ,"output_index":0,"delta":{"x":1}`,
		completed), `stop thinking(){"type":"web_search_call","id":"w","arguments":{"x":1},"content":"any"}`},
	{"out of tokens in a call", lines(
		`response.output_item.done ,"output_index":0,"item":{"type":"function_call","call_id":"c","name":"f","arguments":"{\"x","status":"incomplete"}`,
		`response.incomplete ,"response":{"status":"incomplete","output":[],"incomplete_details":{"reason":"max_output_tokens"}}`),
		`length call(c f {"x){"type":"function_call","call_id":"c","name":"f","arguments":"{\"x","status":"incomplete"}`},
	{"filtered", lines(
		`response.output_text.delta ,"output_index":0,"delta":"a"`,
		`response.incomplete ,"response":{"status":"incomplete","output":[],"incomplete_details":{"reason":"content_filter"}}`),
		"content_filter text(a)"},
	{"events without names, and unknown ones", "data: {\"type\":\"keepalive\"}\n\ndata: {}\n\n" + lines(completed), "stop"},
	{"last event without its blank line", strings.TrimRight(lines(`response.output_text.delta ,"output_index":0,"delta":"a"`, completed), "\n"), "stop text(a)"},
}

func TestDecoding(t *testing.T) { wireFormat.Run(t, decodings) }

func TestDocumentInPlaceOfAStream(t *testing.T) {
	const body = `{"object":"response","status":"completed","error":null,"output":[{"type":"message","content":[{"type":"output_text","text":"a"}]}],` +
		`"usage":{"input_tokens":10,"output_tokens":5,"input_tokens_details":{"cached_tokens":4,"cache_write_tokens":2},"output_tokens_details":{"reasoning_tokens":3}}}`
	want := providers.Usage{InputTokens: 10, OutputTokens: 5, CachedInputTokens: 4, CacheWriteTokens: 2, ReasoningTokens: 3}
	for _, contentType := range []string{"application/json; charset=utf-8", "text/plain", ""} {
		message, err := wireFormat.Decode(contentType, body, nil)
		if err != nil {
			t.Fatalf("%q: %v", contentType, err)
		}
		if message.Text() != "a" || message.Finish != providers.FinishStop || message.Usage != want {
			t.Errorf("%q: %+v", contentType, message)
		}
	}
}

func TestBrokenStreams(t *testing.T) {
	wireFormat.RunBroken(t, wiretest.Breakages{
		{"no last event", lines(`response.output_text.delta ,"output_index":0,"delta":"a"`), providers.KindNetwork, true, ""},
		{"[DONE] without a last event", lines(`response.output_text.delta ,"output_index":0,"delta":"a"`) + "data: [DONE]\n\n", providers.KindNetwork, true, ""},
		{"error event, flat", lines(`error ,"code":"rate_limit_exceeded","message":"slow down"`), providers.KindRateLimited, true, ""},
		{"error event, nested", lines(`error ,"error":{"type":"tokens","code":"rate_limit_exceeded","message":"slow down"}`), providers.KindRateLimited, true, ""},
		{"failed response", lines(`response.failed ,"response":{"status":"failed","error":{"code":"server_error","message":"oops"}}`), providers.KindProvider, true, ""},
		{"failed response for its content", lines(`response.failed ,"response":{"status":"failed","error":{"code":"content_policy_violation","message":"no"}}`), providers.KindContentFilter, false, ""},
		{"failed without an error", lines(`response.failed ,"response":{"status":"failed","output":[]}`), providers.KindProvider, true, ""},
		{"cancelled there", lines(`response.completed ,"response":{"status":"cancelled","output":[]}`), providers.KindProvider, true, ""},
		{"last event without a response", lines(`response.completed `), providers.KindProvider, true, ""},
		{"item that is none", lines(`response.output_item.done ,"output_index":0,"item":7`), providers.KindProvider, true, ""},
		{"item with fields that are none", lines(`response.output_item.done ,"output_index":0,"item":{"type":"function_call","arguments":{}}`, completed), providers.KindProvider, true, ""},
		{"call without a name", lines(`response.function_call_arguments.delta ,"output_index":0,"delta":"{}"`, completed), providers.KindProvider, true, ""},
		{"item of a call without a name", lines(`response.output_item.done ,"output_index":0,"item":{"type":"function_call","call_id":"c"}`, completed), providers.KindProvider, true, ""},
		{"an index that is none", "data: {\"type\":\"response.output_text.delta\",\"output_index\":\"x\"}\n\n", providers.KindProvider, true, ""},
		{"a bare list with an error", "[{\n\"error\": {\"code\": 503, \"message\": \"m\"}\n}]\n", providers.KindOverloaded, true, ""},
		{"bare text that is no JSON", "{oops\n", providers.KindProvider, true, ""},
		{"an item that is announced as none", lines(`response.output_item.added ,"output_index":0,"item":7`), providers.KindProvider, true, ""},
		{"an error without a type", "data: {\"error\":{\"message\":\"busy\",\"code\":503}}\n\n", providers.KindOverloaded, true, ""},
	})
}

// FuzzStream reads anything.
func FuzzStream(f *testing.F) {
	f.Add("application/json", `{"status":"completed","output":[{"type":"message","content":[{"text":"a"}]}]}`)
	wireFormat.Fuzz(f, decodings, nil)
}

// BenchmarkStream reads an answer of 200 texts and a call in 50 pieces.
func BenchmarkStream(b *testing.B) {
	list := []string{`response.output_item.added ,"output_index":0,"item":{"type":"message","content":[]}`}
	for i := range 200 {
		list = append(list, fmt.Sprintf(`response.output_text.delta ,"item_id":"msg_1","output_index":0,"content_index":0,"delta":"word %d "`, i))
	}
	list = append(list, `response.output_item.added ,"output_index":1,"item":{"type":"function_call","call_id":"c","name":"f"}`)
	for range 50 {
		list = append(list, `response.function_call_arguments.delta ,"item_id":"fc_1","output_index":1,"delta":"1234567"`)
	}
	wireFormat.Benchmark(b, lines(append(list, completed)...))
}
