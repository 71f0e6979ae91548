package ollama

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/internal/testkit"
	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire/wiretest"
)

// answered is what a model makes of a stream that answers a prompt.
func answered(t *testing.T, stream, prompt string) (providers.Message, error) {
	t.Helper()
	transport := wiretest.Answering("application/x-ndjson", stream)
	m := New(Options{Endpoint: providers.Endpoint{Ref: "o/m", Model: "m", HTTPClient: &http.Client{Transport: transport}}})
	return m.Stream(t.Context(), providers.Request{Messages: []providers.Message{providers.UserText(prompt)}}, nil)
}

func last(fields string) string {
	return `{"message":{"role":"assistant","content":""},"done":true` + fields + "}\n"
}

func TestFinish(t *testing.T) {
	const call = `{"message":{"content":"","tool_calls":[{"function":{"name":"f","arguments":{}}}]}}` + "\n"
	for _, c := range []struct {
		name, stream string
		want         providers.Finish
		usage        providers.Usage
	}{
		{"stop", last(`,"done_reason":"stop","prompt_eval_count":3,"eval_count":4`), providers.FinishStop, providers.Usage{InputTokens: 3, OutputTokens: 4}},
		{"a prompt that was kept is not counted", last(`,"done_reason":"stop","eval_count":4`), providers.FinishStop, providers.Usage{OutputTokens: 4}},
		{"length", last(`,"done_reason":"length"`), providers.FinishLength, providers.Usage{}},
		{"no reason", last(""), providers.FinishStop, providers.Usage{}},
		{"a call with stop", call + last(`,"done_reason":"stop"`), providers.FinishToolCalls, providers.Usage{}},
		{"no call at all", last(`,"done_reason":"tool_calls"`), providers.FinishToolCalls, providers.Usage{}},
		{"a call, and cut", call + last(`,"done_reason":"length"`), providers.FinishLength, providers.Usage{}},
		{"no message at the end", `{"message":{"content":"a"}}` + "\n" + `{"done":true,"done_reason":"stop"}`, providers.FinishStop, providers.Usage{}},
		{"what comes after the end", last("") + "nonsense\n", providers.FinishStop, providers.Usage{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			message, err := answered(t, c.stream, "Hi")
			if err != nil || message.Finish != c.want || message.Usage != c.usage {
				t.Errorf("finish %q, usage %+v, error %v", message.Finish, message.Usage, err)
			}
		})
	}
}

func TestFailures(t *testing.T) {
	for _, c := range []struct {
		name, stream string
		kind         providers.Kind
		told         string
	}{
		{"an error in the middle", `{"message":{"content":"a"}}` + "\n" + `{"error":"model runner has unexpectedly stopped"}`, providers.KindProvider, "unexpectedly stopped"},
		{"no end", `{"message":{"content":"a"}}` + "\n", providers.KindNetwork, "cut off"},
		{"half a line", `{"message":{"content":"a"}}` + "\n" + `{"mess`, providers.KindNetwork, "cut off"},
		{"a load", last(`,"done_reason":"load"`), providers.KindProvider, "loaded or unloaded"},
		{"a call without a name", `{"message":{"tool_calls":[{"function":{"arguments":{}}}]}}` + "\n" + last(""), providers.KindProvider, "a tool call has no name"},
		{"a line that is no object", "[1]\n", providers.KindProvider, "malformed event"},
		{"something else", `{"status":"pulling"}` + "\n", providers.KindProvider, "pulling"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := answered(t, c.stream, "Hi")
			if providers.KindOf(err) != c.kind || !strings.Contains(err.Error(), c.told) {
				t.Errorf("error %v of kind %s, want %s and %q", err, providers.KindOf(err), c.kind, c.told)
			}
		})
	}
}

// TestNothingIsLostSilently: a server that knows nothing of truncate cuts a
// prompt to the length of its context, answers what is left of it, and says 200.
func TestNothingIsLostSilently(t *testing.T) {
	words := strings.Repeat("word ", 30_000)
	for _, c := range []struct {
		name   string
		prompt string
		count  int
		cut    bool
	}{
		{"30,000 tokens, 4,096 read", words, 4096, true},
		{"30,000 tokens, 2,048 read", words, 2048, true},
		{"30,000 tokens, 3,000 read, the oldest messages left out", words, 3000, true},
		{"30,000 tokens, all read", words, 30_007, false},
		{"5,500 tokens, 4,096 read", words[:5_500*5], 4096, true},
		{"a text that is exactly so long", words[:4096*5], 4096, false},
		{"a prompt that was kept", words, 0, false},
		{"a short one", "Hi", 12, false},
		{"much white space", strings.Repeat("                \n", 1000), 1200, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := answered(t, last(fmt.Sprintf(`,"done_reason":"stop","prompt_eval_count":%d`, c.count)), c.prompt)
			if cut := providers.KindOf(err) == providers.KindContextLength; cut != c.cut || !c.cut && err != nil {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestCallsThatShareAnID(t *testing.T) {
	message, err := answered(t, `{"message":{"tool_calls":[{"id":"a","function":{"name":"f","arguments":{"n":1}}},{"id":"a","function":{"name":"f","arguments":null}}]}}`+"\n"+last(""), "Hi")
	calls := message.Calls()
	if err != nil || len(calls) != 2 || calls[0].ID != "a" || calls[1].ID == "a" || calls[1].ID == "" {
		t.Fatalf("calls %+v, error %v", calls, err)
	}
	if string(calls[0].Arguments) != `{"n":1}` || string(calls[1].Arguments) != "{}" {
		t.Errorf("arguments %s and %s", calls[0].Arguments, calls[1].Arguments)
	}
}

// FuzzStream reads anything: it must end, and keep its promises.
func FuzzStream(f *testing.F) {
	const lines = "application/x-ndjson"
	f.Add(lines, string(last("")))
	f.Add(lines, string(`{"message":{"content":"a","thinking":"b","tool_calls":[{"function":{"name":"f","arguments":{}}}]}}`+"\n"+last("")))
	f.Add(lines, string(`{"error":"x"}`))
	for _, file := range testkit.Seeds(f, "FLOW_WIRE_CORPUS", "../shared/wire", "ollama/*/*.ndjson") {
		if data, err := os.ReadFile(file); err == nil {
			f.Add(lines, string(data))
		}
	}
	wireFormat := wiretest.Format(func(client *http.Client) providers.Model {
		return New(Options{Endpoint: providers.Endpoint{Ref: "p/m", Model: "m", BaseURL: "http://127.0.0.1:1", HTTPClient: client}})
	})
	wireFormat.Fuzz(f, nil, nil)
}

// BenchmarkStream reads an answer of 200 texts.
func BenchmarkStream(b *testing.B) {
	var body strings.Builder
	for i := range 200 {
		fmt.Fprintf(&body, `{"model":"m","message":{"role":"assistant","content":"word %d "},"done":false}`+"\n", i)
	}
	body.WriteString(last(`,"done_reason":"stop","prompt_eval_count":3,"eval_count":400`))
	transport := wiretest.Answering("application/x-ndjson", body.String())
	m := New(Options{Endpoint: providers.Endpoint{Ref: "o/m", Model: "m", HTTPClient: &http.Client{Transport: transport}}})
	req := providers.Request{Messages: []providers.Message{providers.UserText("Hi")}}
	b.ReportAllocs()
	b.SetBytes(int64(body.Len()))
	for b.Loop() {
		if _, err := m.Stream(b.Context(), req, nil); err != nil {
			b.Fatal(err)
		}
	}
}
