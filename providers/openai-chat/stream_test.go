package openaichat

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire/wiretest"
)

// wireFormat reads one answer.
var wireFormat = wiretest.Format(func(client *http.Client) providers.Model {
	return New(Options{Endpoint: providers.Endpoint{Ref: "p/m", Model: "m", BaseURL: "http://127.0.0.1:1", HTTPClient: client}})
})

// events writes each delta as a chunk of its own, then the finish and [DONE].
func events(finish string, deltas ...string) string {
	var b strings.Builder
	for _, delta := range deltas {
		b.WriteString(`data: {"choices":[{"index":0,"delta":` + delta + "}]}\n\n")
	}
	b.WriteString(`data: {"choices":[{"index":0,"delta":{},"finish_reason":"` + finish + "\"}]}\n\ndata: [DONE]\n\n")
	return b.String()
}

var decodings = wiretest.Decodings{
	{"leading blanks and lines stay", events("stop", `{"content":" \n"}`, `{"content":"a "}`), "stop text( \na )"},
	{"content is null", events("stop", `{"content":null}`, `{"content":"a"}`), "stop text(a)"},
	{"no finish reason, then the end", "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: [DONE]\n", "stop text(a)"},
	{"finish reason without [DONE]", strings.TrimSuffix(events("stop", `{"content":"a"}`), "data: [DONE]\n\n"), "stop text(a)"},
	{"last event without its blank line", `data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}`, "stop text(a)"},
	{"CRLF, comments, no space after the colon", ": wait\r\n\r\ndata:{\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\r\n\r\n: bye\r\n", "stop text(a)"},
	{"error null", `data: {"error":null,"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}` + "\n\n", "stop text(a)"},
	{"another choice is not ours", `data: {"choices":[{"index":1,"delta":{"content":"b"},"finish_reason":"length"}]}` + "\n\n" + events("stop", `{"content":"a"}`), "stop text(a)"},
	{"a list of parts (Mistral)", events("stop", `{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}]}`, `{"content":[{"type":"text","text":"a"}]}`), "stop thinking(hm) text(a)"},

	{"calls told apart by index only", events("tool_calls",
		`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":""}}]}`,
		`{"tool_calls":[{"index":1,"id":"b","function":{"name":"g","arguments":""}}]}`,
		`{"tool_calls":[{"index":1,"function":{"arguments":"{\"y\":"}},{"index":0,"function":{"arguments":"{\"x\":1}"}}]}`,
		`{"tool_calls":[{"index":1,"function":{"arguments":"2}"}}]}`),
		`tool_calls call(a f {"x":1}) call(b g {"y":2})`},
	{"gaps in the indexes", events("tool_calls",
		`{"tool_calls":[{"index":3,"id":"a","function":{"name":"f","arguments":"{}"}}]}`,
		`{"tool_calls":[{"index":7,"id":"b","function":{"name":"g","arguments":"{}"}}]}`),
		"tool_calls call(a f {}) call(b g {})"},
	{"whole calls at the same index", events("tool_calls",
		`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]}`,
		`{"tool_calls":[{"index":0,"id":"b","function":{"name":"f","arguments":"{}"}}]}`),
		"tool_calls call(a f {}) call(b f {})"},
	{"whole calls without ids at the same index", events("stop",
		`{"tool_calls":[{"index":0,"function":{"name":"f","arguments":"{}"}}]}`,
		`{"tool_calls":[{"index":0,"function":{"name":"f","arguments":"{}"}}]}`),
		"tool_calls call(made-up f {}) call(made-up f {})"},
	{"no index at all", events("tool_calls",
		`{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{\"x\":"}}]}`,
		`{"tool_calls":[{"function":{"arguments":"1}"}}]}`),
		`tool_calls call(a f {"x":1})`},
	{"an id with every delta", events("tool_calls",
		`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":"}}]}`,
		`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"1}"}}]}`),
		`tool_calls call(a f {"x":1})`},
	{"the name comes late", events("tool_calls",
		`{"tool_calls":[{"index":0,"id":"a","function":{}}]}`,
		`{"tool_calls":[{"index":0,"function":{"name":"f"}}]}`),
		"tool_calls call(a f {})"},
	{"two calls with one id", events("tool_calls",
		`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}},{"index":1,"id":"a","function":{"name":"g","arguments":"{}"}}]}`),
		"tool_calls call(a f {}) call(made-up g {})"},
	{"arguments under another index", events("tool_calls",
		`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":""}}]}`,
		`{"tool_calls":[{"index":1,"function":{"arguments":"{\"x\":"}}]}`,
		`{"tool_calls":[{"index":1,"function":{"arguments":"1}"}}]}`),
		`tool_calls call(a f {"x":1})`},
	{"an index that jumps", events("tool_calls",
		`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\""}}]}`,
		`{"tool_calls":[{"index":3,"function":{"arguments":":"}}]}`,
		`{"tool_calls":[{"index":7,"function":{"arguments":"1}"}}]}`),
		`tool_calls call(a f {"x":1})`},
	{"the id again, under another index", events("tool_calls",
		`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f"}}]}`,
		`{"tool_calls":[{"index":1,"id":"a","function":{"arguments":"{\"x\":1}"}}]}`),
		`tool_calls call(a f {"x":1})`},
	{"two calls, each under two indexes", events("tool_calls",
		`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f"}}]}`,
		`{"tool_calls":[{"index":1,"function":{"arguments":"{\"x\":1}"}}]}`,
		`{"tool_calls":[{"index":2,"id":"b","function":{"name":"g"}}]}`,
		`{"tool_calls":[{"index":3,"function":{"arguments":"{\"y\":2}"}}]}`),
		`tool_calls call(a f {"x":1}) call(b g {"y":2})`},
	{"an empty piece under another index", events("tool_calls",
		`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]}`,
		`{"tool_calls":[{"index":1,"function":{"arguments":""}}]}`),
		"tool_calls call(a f {})"},
	{"arguments null", events("tool_calls", `{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":null}}]}`), "tool_calls call(a f {})"},
	{"arguments \"null\"", events("tool_calls", `{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"null"}}]}`), "tool_calls call(a f {})"},
	{"arguments absent", events("tool_calls", `{"tool_calls":[{"index":0,"id":"a","function":{"name":"f"}}]}`), "tool_calls call(a f {})"},
	{"arguments as an object", events("tool_calls", `{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":{"x":1}}}]}`), `tool_calls call(a f {"x":1})`},
	{"spaces in arguments stay", events("tool_calls", `{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":" { \"x\" : 12345678901234567890 } "}}]}`), `tool_calls call(a f  { "x" : 12345678901234567890 } )`},
	{"calls and stop", events("stop", `{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]}`), "tool_calls call(a f {})"},
	{"calls and length", events("length", `{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x"}}]}`), `length call(a f {"x)`},
	{"tool_calls without calls", events("tool_calls", `{"content":"a"}`), "tool_calls text(a)"},
	{"filtered", events("content_filter", `{"content":"a"}`), "content_filter text(a)"},

	{"refusal", events("stop", `{"refusal":"I "}`, `{"refusal":"won't"}`), `content_filter thinking(I won't){"refusal":"I won't"}`},
	{"reasoning_content", events("stop", `{"reasoning_content":"h"}`, `{"reasoning_content":"m"}`, `{"content":"a"}`), `stop thinking(hm){"reasoning_content":"hm"} text(a)`},
	{"reasoning", events("stop", `{"reasoning":"hm"}`, `{"content":"a"}`), `stop thinking(hm){"reasoning":"hm"} text(a)`},
	{"thinking in the content, in pieces", events("stop", `{"content":"<th"}`, `{"content":"ink>h"}`, `{"content":"m</"}`, `{"content":"think>\n\n"}`, `{"content":"a"}`), "stop thinking(hm) text(a)"},
	{"thinking in the content before a call", events("tool_calls", `{"content":"<think>hm</think>\n"}`, `{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]}`), "tool_calls thinking(hm) call(a f {})"},
	{"the tag beside reasoning is text", events("stop", `{"reasoning":"hm"}`, `{"content":"<think>a</think>"}`), `stop thinking(hm){"reasoning":"hm"} text(<think>a</think>)`},
	{"all thinking", events("length", `{"reasoning_content":"hm"}`), `length thinking(hm){"reasoning_content":"hm"}`},
	{"reasoning_details in fragments, shown once", events("stop",
		`{"reasoning":"a<","reasoning_details":[{"type":"reasoning.text","index":0,"text":"a<","signature":null}]}`,
		`{"reasoning":"b","reasoning_details":[{"type":"reasoning.text","index":0,"text":"b"}]}`,
		`{"reasoning_details":[{"type":"reasoning.text","index":0,"signature":"S"}]}`,
		`{"reasoning_details":[{"type":"reasoning.text","index":0,"signature":null}]}`,
		`{"content":"x"}`),
		`stop thinking(a<b){"reasoning":"a<b","reasoning_details":[{"index":0,"signature":"S","text":"a<b","type":"reasoning.text"}]} text(x)`},
	{"reasoning_details alone", events("stop", `{"reasoning_details":[{"type":"reasoning.summary","index":0,"summary":"s"}]}`, `{"content":"x"}`),
		`stop thinking(s){"reasoning_details":[{"index":0,"summary":"s","type":"reasoning.summary"}]} text(x)`},
	{"two encrypted details are two", events("stop",
		`{"reasoning_details":[{"type":"reasoning.encrypted","index":0,"data":"A"}]}`,
		`{"reasoning_details":[{"type":"reasoning.encrypted","index":0,"data":"B"}, 7]}`),
		`stop thinking(){"reasoning_details":[{"data":"A","index":0,"type":"reasoning.encrypted"},{"data":"B","index":0,"type":"reasoning.encrypted"},7]}`},
}

func TestDecoding(t *testing.T) { wireFormat.Run(t, decodings) }

func TestDocumentInPlaceOfAStream(t *testing.T) {
	const body = `{"choices":[{"index":0,"message":{"content":"a","tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"}}]},` +
		`"finish_reason":"tool_calls"},{"index":1,"message":{"content":"other"}}],"usage":{"prompt_tokens":3,"completion_tokens":4}}`
	for _, contentType := range []string{"application/json; charset=utf-8", "text/plain", ""} {
		message, err := wireFormat.Decode(contentType, body, nil)
		if err != nil {
			t.Fatalf("%q: %v", contentType, err)
		}
		if got, want := wiretest.Brief(message), "tool_calls text(a) call(c f {})"; got != want {
			t.Errorf("%q: %s, want %s", contentType, got, want)
		}
		if message.Usage.InputTokens != 3 || message.Usage.OutputTokens != 4 {
			t.Errorf("%q: usage %+v", contentType, message.Usage)
		}
	}
}

func TestBrokenStreams(t *testing.T) {
	wireFormat.RunBroken(t, wiretest.Breakages{
		{"nothing but [DONE]", "data: [DONE]\n\n", providers.KindProvider, true, ""},
		{"no choice ever", "data: {\"choices\":[]}\n\ndata: [DONE]\n\n", providers.KindProvider, true, ""},
		{"no sign of the end", "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n", providers.KindNetwork, true, ""},
		{"a call without a name", events("tool_calls", `{"tool_calls":[{"index":0,"id":"a","function":{"arguments":"{}"}}]}`), providers.KindProvider, true, ""},
		{"choices that are none", "data: {\"choices\":7}\n\n", providers.KindProvider, true, ""},
		{"out of resources (DeepSeek)", events("insufficient_system_resource", `{"content":"a"}`), providers.KindOverloaded, true, ""},
		{"finish_reason error", events("error", `{"content":"a"}`), providers.KindProvider, true, ""},
		{"an error after the finish reason", `data: {"choices":[{"delta":{"content":"a"},"finish_reason":"length"}]}` + "\n\n" + `data: {"error":{"message":"m","code":400},"choices":[]}` + "\n\n", providers.KindProvider, false, ""},
		{"an error in a choice (OpenRouter)", `data: {"choices":[{"delta":{},"finish_reason":"error","error":{"code":502,"message":"upstream"}}]}` + "\n\n", providers.KindProvider, true, ""},
		{"a bare list with an error (Google)", "[{\n\"error\": {\"code\": 503, \"message\": \"m\"}\n}]\n", providers.KindOverloaded, true, ""},
		{"bare text that is no JSON", "{oops\n", providers.KindProvider, true, ""},
		{"an error that is a text", `data: {"error":"overloaded, sorry"}` + "\n\n", providers.KindProvider, false, ""},
		{"an error at the top (Mistral)", `data: {"object":"error","message":"m","type":"rate_limit_error"}` + "\n\n", providers.KindRateLimited, true, ""},
		{"an error that is a detail", `data: {"detail":"not now"}` + "\n\n", providers.KindProvider, false, ""},
	})
}

func TestUsage(t *testing.T) {
	for _, c := range []struct {
		name, usage string
		want        providers.Usage
	}{
		{"OpenAI", `"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15,"prompt_tokens_details":{"cached_tokens":4},"completion_tokens_details":{"reasoning_tokens":3}}`,
			providers.Usage{InputTokens: 10, OutputTokens: 5, CachedInputTokens: 4, ReasoningTokens: 3}},
		{"xAI leaves reasoning out", `"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":18,"completion_tokens_details":{"reasoning_tokens":3}}`,
			providers.Usage{InputTokens: 10, OutputTokens: 8, ReasoningTokens: 3}},
		{"DeepSeek", `"usage":{"prompt_tokens":10,"completion_tokens":5,"prompt_cache_hit_tokens":7}`,
			providers.Usage{InputTokens: 10, OutputTokens: 5, CachedInputTokens: 7}},
		{"Groq", `"x_groq":{"usage":{"prompt_tokens":10,"completion_tokens":5}}`, providers.Usage{InputTokens: 10, OutputTokens: 5}},
		{"OpenRouter", `"usage":{"prompt_tokens":10,"completion_tokens":5,"prompt_tokens_details":{"cache_write_tokens":2}}`,
			providers.Usage{InputTokens: 10, OutputTokens: 5, CacheWriteTokens: 2}},
		{"none", `"usage":null`, providers.Usage{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			message, err := wireFormat.Decode(wiretest.Stream, `data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}`+"\n\n"+
				`data: {"choices":[],`+c.usage+"}\n\ndata: [DONE]\n\n", nil)
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
	f.Add("application/json", `{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}`)
	wireFormat.Fuzz(f, decodings, nil)
}

// BenchmarkStream reads an answer of 200 texts and a call in 50 pieces.
func BenchmarkStream(b *testing.B) {
	var deltas []string
	for i := range 200 {
		deltas = append(deltas, `{"content":"word `+strconv.Itoa(i)+` "}`)
	}
	deltas = append(deltas, `{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":""}}]}`)
	for range 50 {
		deltas = append(deltas, `{"tool_calls":[{"index":0,"function":{"arguments":"1234567"}}]}`)
	}
	wireFormat.Benchmark(b, events("tool_calls", deltas...))
}
