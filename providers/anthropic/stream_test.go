package anthropic

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

func events(datas ...string) string {
	var b strings.Builder
	for _, data := range datas {
		b.WriteString("data: " + data + "\n\n")
	}
	return b.String()
}

const (
	start = `{"type":"message_start","message":{"usage":{"input_tokens":3,"output_tokens":1}}}`
	stop  = `{"type":"message_stop"}`
)

func ended(reason string) string {
	return `{"type":"message_delta","delta":{"stop_reason":"` + reason + `"},"usage":{"output_tokens":9}}`
}

// stream writes blocks, each a list of its beginning and its deltas.
func streamed(reason string, blocks ...[]string) string {
	list := []string{start}
	for i, block := range blocks {
		at := strconv.Itoa(i)
		list = append(list, `{"type":"content_block_start","index":`+at+`,"content_block":`+block[0]+`}`)
		for _, delta := range block[1:] {
			list = append(list, `{"type":"content_block_delta","index":`+at+`,"delta":`+delta+`}`)
		}
		list = append(list, `{"type":"content_block_stop","index":`+at+`}`)
	}
	return events(append(list, ended(reason), stop)...)
}

// answered writes blocks that come whole.
func answered(reason string, blocks ...string) string {
	var list [][]string
	for _, block := range blocks {
		list = append(list, []string{block})
	}
	return streamed(reason, list...)
}

const (
	textHead     = `{"type":"text","text":""}`
	thoughtHead  = `{"type":"thinking","thinking":"","signature":""}`
	callHead     = `{"type":"tool_use","id":"c","name":"f","input":{}}`
	searchHead   = `{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}}`
	redactedHead = `{"type":"redacted_thinking","data":"D<"}`
)

func textDelta(s string) string  { return `{"type":"text_delta","text":"` + s + `"}` }
func thinkDelta(s string) string { return `{"type":"thinking_delta","thinking":"` + s + `"}` }
func inputDelta(s string) string {
	return `{"type":"input_json_delta","partial_json":` + strconv.Quote(s) + `}`
}

var decodings = wiretest.Decodings{
	{"text", streamed("end_turn", []string{textHead, textDelta("a "), textDelta("b")}), "stop text(a b)"},
	{"text that begins with its block", streamed("end_turn", []string{`{"type":"text","text":"a "}`, textDelta("b")}), "stop text(a b)"},
	{"pings, padding, unknown events", strings.ReplaceAll(streamed("end_turn", []string{textHead, textDelta("a")}), "}\n\n",
		"      }\n\nevent: ping\ndata: {\"type\": \"ping\"}\n\ndata: {\"type\":\"news\",\"delta\":7,\"index\":3}\n\n"), "stop text(a)"},
	{"no event names, CRLF, comments", ": hi\r\n\r\n" + strings.ReplaceAll(streamed("end_turn", []string{textHead, textDelta("a")}), "\n", "\r\n"), "stop text(a)"},
	{"no content at all", events(start, ended("stop_sequence"), stop), "stop"},
	{"no stop reason", events(start, stop[:len(stop)-1]+`,"x":1}`), ""},
	{"a block that is never ended", events(start, `{"type":"content_block_start","index":0,"content_block":`+textHead+`}`,
		`{"type":"content_block_delta","index":0,"delta":`+textDelta("a")+`}`, ended("end_turn"), stop), "stop text(a)"},
	{"unknown kinds of pieces", streamed("end_turn", []string{textHead, `{"type":"mood_delta","mood":"good"}`, textDelta("a")}), "stop text(a)"},
	{"text null", streamed("end_turn", []string{`{"type":"text","text":null}`, `{"type":"text_delta","text":null}`}), "stop text()"},

	{"thinking", streamed("end_turn", []string{thoughtHead, thinkDelta("h<"), thinkDelta("m"), `{"type":"signature_delta","signature":"S&="}`}, []string{textHead, textDelta("a")}),
		`stop thinking(h<m){"signature":"S&=","thinking":"h<m","type":"thinking"} text(a)`},
	{"thinking that is not shown", streamed("end_turn", []string{thoughtHead, `{"type":"signature_delta","signature":"S"}`}, []string{textHead, textDelta("a")}),
		`stop thinking(){"signature":"S","thinking":"","type":"thinking"} text(a)`},
	{"fields that are not known stay", streamed("end_turn", []string{`{"type":"thinking","thinking":"","signature":"","effort":{"n":12345678901234567890}}`, thinkDelta("h")}),
		`stop thinking(h){"effort":{"n":12345678901234567890},"signature":"","thinking":"h","type":"thinking"}`},
	{"all thinking", streamed("max_tokens", []string{thoughtHead, thinkDelta("h")}), `length thinking(h){"signature":"","thinking":"h","type":"thinking"}`},
	{"redacted", streamed("end_turn", []string{redactedHead}, []string{textHead, textDelta("a")}), `stop thinking()` + redactedHead + ` text(a)`},

	{"call", streamed("tool_use", []string{callHead, inputDelta(""), inputDelta(`{"x": 1234`), inputDelta(`5678901234567890}`)}), `tool_calls call(c f {"x": 12345678901234567890})`},
	{"call with one empty piece", streamed("tool_use", []string{callHead, inputDelta("")}), "tool_calls call(c f {})"},
	{"call without pieces", streamed("tool_use", []string{callHead}), "tool_calls call(c f {})"},
	{"no call at all", streamed("tool_use", []string{textHead, textDelta("a")}), "tool_calls text(a)"},
	{"call whose input is null", streamed("tool_use", []string{`{"type":"tool_use","id":"c","name":"f","input":null}`}), "tool_calls call(c f {})"},
	{"call that comes whole", streamed("tool_use", []string{`{"type":"tool_use","id":"c","name":"f","input":{ "x": 1 }}`}), `tool_calls call(c f { "x": 1 })`},
	{"parallel calls in turns", events(start,
		`{"type":"content_block_start","index":0,"content_block":`+callHead+`}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"d","name":"g","input":{}}}`,
		`{"type":"content_block_delta","index":1,"delta":`+inputDelta(`{"y":`)+`}`, `{"type":"content_block_delta","index":0,"delta":`+inputDelta(`{"x":1}`)+`}`,
		`{"type":"content_block_delta","index":1,"delta":`+inputDelta(`2}`)+`}`, ended("tool_use"), stop), `tool_calls call(c f {"x":1}) call(d g {"y":2})`},
	{"calls without ids, and with one id", streamed("tool_use", []string{`{"type":"tool_use","name":"f"}`}, []string{callHead}, []string{callHead}),
		"tool_calls call(made-up f {}) call(c f {}) call(made-up f {})"},
	{"calls at one index", strings.ReplaceAll(streamed("tool_use", []string{callHead, inputDelta(`{"x":1}`)}, []string{`{"type":"tool_use","id":"d","name":"f"}`}), `"index":1`, `"index":0`),
		`tool_calls call(c f {"x":1}) call(d f {})`},
	{"calls, but end_turn", streamed("end_turn", []string{callHead}), "tool_calls call(c f {})"},
	{"cut call", streamed("max_tokens", []string{callHead, inputDelta(`{"x`)}), `length call(c f {"x)`},
	{"call in a full window", streamed("model_context_window_exceeded", []string{callHead, inputDelta(`{"x`)}), `length call(c f {"x)`},
	{"refusal", streamed("refusal", []string{textHead, textDelta("I")}), "content_filter text(I)"},
	{"refusal after a call", streamed("refusal", []string{callHead}), "content_filter call(c f {})"},

	{"a search", streamed("pause_turn", []string{searchHead, inputDelta(""), inputDelta(`{"query":`), inputDelta(`"x"}`)}, []string{`{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","text":{"odd":1},"content":[{"n":1.0}]}`}),
		`stop thinking(){"id":"srvtoolu_1","input":{"query":"x"},"name":"web_search","type":"server_tool_use"}` +
			` thinking(){"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","text":{"odd":1},"content":[{"n":1.0}]}`},
	{"citations", streamed("end_turn", []string{`{"type":"text","text":"","citations":[]}`, `{"type":"citations_delta","citation":{"url":"u<"}}`, textDelta("a"), `{"type":"citations_delta","citation":{"url":"v"}}`}),
		`stop text(a){"citations":[{"url":"u<"},{"url":"v"}],"text":"a","type":"text"}`},
}

func TestDecoding(t *testing.T) { wireFormat.Run(t, decodings) }

func TestDocumentInPlaceOfAStream(t *testing.T) {
	const body = `{"type":"message","content":[{"type":"thinking","thinking":"h","signature":"S"},{"type":"text","text":"a","citations":null},
		{"type":"tool_use","id":"c","name":"f","input":{"x":12345678901234567890}}],"stop_reason":"tool_use","usage":{"input_tokens":3,"output_tokens":4}}`
	for _, contentType := range []string{"application/json; charset=utf-8", "text/plain", ""} {
		message, err := wireFormat.Decode(contentType, body, nil)
		if err != nil {
			t.Fatalf("%q: %v", contentType, err)
		}
		const want = `tool_calls thinking(h){"type":"thinking","thinking":"h","signature":"S"} text(a) call(c f {"x":12345678901234567890})`
		if got := wiretest.Brief(message); got != want {
			t.Errorf("%q: %s, want %s", contentType, got, want)
		}
		if message.Usage.InputTokens != 3 || message.Usage.OutputTokens != 4 {
			t.Errorf("%q: usage %+v", contentType, message.Usage)
		}
	}
}

func TestBrokenStreams(t *testing.T) {
	whole := streamed("end_turn", []string{textHead, textDelta("a")})
	wireFormat.RunBroken(t, wiretest.Breakages{
		{"no message_stop", strings.TrimSuffix(whole, events(stop)), providers.KindNetwork, true, ""},
		{"[DONE] in its place", strings.TrimSuffix(whole, events(stop)) + "data: [DONE]\n\n", providers.KindNetwork, true, ""},
		{"cut in an event", strings.TrimSuffix(whole, `op"}`+"\n\n"), providers.KindNetwork, true, ""},
		{"nothing but the end", events(stop), providers.KindProvider, true, ""},
		{"overloaded", strings.TrimSuffix(whole, events(stop)) + "event: error\n" + events(`{"type":"error","error":{"details":null,"type":"overloaded_error","message":"Overloaded"}}`), providers.KindOverloaded, true, ""},
		{"an error without a name", events(start, `{"type":"error","error":{"type":"api_error","message":"m"}}`), providers.KindProvider, true, ""},
		{"limited", events(`{"type":"error","error":{"type":"rate_limit_error","message":"m"}}`), providers.KindRateLimited, true, ""},
		{"invalid", events(`{"type":"error","error":{"type":"invalid_request_error","message":"m"}}`), providers.KindProvider, false, ""},
		{"a call without a name", streamed("tool_use", []string{`{"type":"tool_use","id":"c"}`}), providers.KindProvider, true, ""},
		{"a block without a type", streamed("end_turn", []string{`{"text":"a"}`}), providers.KindProvider, true, ""},
		{"a block that is none", streamed("end_turn", []string{`7`}), providers.KindProvider, true, ""},
		{"a block with a text that is none", streamed("end_turn", []string{`{"type":"text","text":7}`}), providers.KindProvider, true, ""},
		{"a piece of another kind", streamed("tool_use", []string{callHead, textDelta("a")}), providers.KindProvider, true, ""},
		{"a thought in a text", streamed("end_turn", []string{textHead, thinkDelta("a")}), providers.KindProvider, true, ""},
		{"a piece of no block", events(start, `{"type":"content_block_delta","index":4,"delta":`+textDelta("a")+`}`), providers.KindProvider, true, ""},
		{"a piece after its block", events(start, `{"type":"content_block_start","index":0,"content_block":`+textHead+`}`, `{"type":"content_block_stop","index":0}`,
			`{"type":"content_block_delta","index":0,"delta":`+textDelta("a")+`}`), providers.KindProvider, true, ""},
		{"text that is no JSON", "data: {oops\n\n", providers.KindProvider, true, ""},
		{"bare text that is no JSON", "{oops\n", providers.KindProvider, true, ""},
		{"a bare error", `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, providers.KindOverloaded, true, ""},
		{"another document", `{"object":"list","data":[]}`, providers.KindProvider, false, ""},
	})
}

func TestUsage(t *testing.T) {
	for _, c := range []struct {
		name, first, last string
		want              providers.Usage
	}{
		{"cache", `{"input_tokens":10,"cache_read_input_tokens":5,"cache_creation_input_tokens":7,"output_tokens":1}`, `{"output_tokens":4}`,
			providers.Usage{InputTokens: 22, OutputTokens: 4, CachedInputTokens: 5, CacheWriteTokens: 7}},
		{"both kinds of cache", `{"input_tokens":10,"cache_creation_input_tokens":7,"cache_creation":{"ephemeral_5m_input_tokens":3,"ephemeral_1h_input_tokens":4},"output_tokens":1}`, `{"output_tokens":4}`,
			providers.Usage{InputTokens: 17, OutputTokens: 4, CacheWriteTokens: 7, CacheWrite1h: 4}},
		{"the last one counts", `{"input_tokens":10,"cache_read_input_tokens":5,"output_tokens":1}`, `{"input_tokens":100,"cache_read_input_tokens":0,"output_tokens":4,"output_tokens_details":{"thinking_tokens":3}}`,
			providers.Usage{InputTokens: 100, OutputTokens: 4, ReasoningTokens: 3}},
		{"null says nothing", `{"input_tokens":10,"output_tokens":1}`, `{"input_tokens":null,"cache_read_input_tokens":null,"output_tokens":4,"output_tokens_details":null}`,
			providers.Usage{InputTokens: 10, OutputTokens: 4}},
		{"nonsense says nothing", `{"input_tokens":10,"output_tokens":1}`, `{"input_tokens":"many","output_tokens":4}`, providers.Usage{InputTokens: 10, OutputTokens: 1}},
		{"none", `null`, `null`, providers.Usage{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			message, err := wireFormat.Decode(wiretest.Stream, events(`{"type":"message_start","message":{"usage":`+c.first+`}}`,
				`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":`+c.last+`}`, stop), nil)
			if err != nil {
				t.Fatal(err)
			}
			if message.Usage != c.want {
				t.Errorf("usage %+v, want %+v", message.Usage, c.want)
			}
		})
	}
}

// FuzzStream reads anything.
func FuzzStream(f *testing.F) {
	f.Add("application/json", `{"content":[{"type":"tool_use","id":"c","name":"f","input":{}}],"stop_reason":"tool_use"}`)
	wireFormat.Fuzz(f, decodings, func(t *testing.T, message providers.Message) {
		message.Provider = "anthropic"
		req := providers.Request{Messages: []providers.Message{providers.UserText("u"), message}}
		if wire.JSON(New(claude("claude-sonnet-4-5")).request(req)) == nil {
			t.Error("the answer can't be sent back")
		}
	})
}

// BenchmarkStream reads an answer of 200 texts and a call in 50 pieces.
func BenchmarkStream(b *testing.B) {
	said, called := []string{textHead}, []string{callHead}
	for i := range 200 {
		said = append(said, textDelta("word "+strconv.Itoa(i)+" "))
	}
	for range 50 {
		called = append(called, inputDelta("1234567"))
	}
	wireFormat.Benchmark(b, streamed("tool_use", said, called))
}
