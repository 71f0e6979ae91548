package openai

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire/wiretest"
)

// TestConnection shows that what is in the environment, and what machine this is,
// goes nowhere, and that all that is named goes with a request.
func TestConnection(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "leaked-key")
	t.Setenv("OPENAI_ORG_ID", "leaked-organisation")
	t.Setenv("OPENAI_PROJECT_ID", "leaked-project")
	t.Setenv("OPENAI_BASE_URL", "http://leaked.example")
	t.Setenv("OPENAI_CUSTOM_HEADERS", "X-Leaked: leaked")
	token := func(context.Context) (string, error) { return "fresh", nil }
	own := map[string]string{"X-Key": "k", "User-Agent": "mine"}
	for _, c := range []struct {
		name          string
		at            providers.Endpoint
		url           string
		authorization string
		agent         string
	}{
		{"headers of its own", providers.Endpoint{Headers: own}, "https://api.openai.com/v1/responses", "", "mine"},
		{"a header in place of the key", providers.Endpoint{APIKey: "sk-mine", Headers: map[string]string{"Authorization": "Basic x"}}, "https://api.openai.com/v1/responses", "Basic x", "flow"},
		{"a key", providers.Endpoint{APIKey: "sk-mine"}, "https://api.openai.com/v1/responses", "Bearer sk-mine", "flow"},
		{"a token", providers.Endpoint{Token: token}, "https://api.openai.com/v1/responses", "Bearer fresh", "flow"},
		{"no path", providers.Endpoint{BaseURL: "http://h"}, "http://h/responses", "", "flow"},
		{"no slash", providers.Endpoint{BaseURL: "http://h/v1"}, "http://h/v1/responses", "", "flow"},
		{"a path with signs", providers.Endpoint{BaseURL: "http://h/a%2Fb/v1/"}, "http://h/a%2Fb/v1/responses", "", "flow"},
		{"a query", providers.Endpoint{BaseURL: "http://h/openai/v1?api-version=preview"}, "http://h/openai/v1/responses?api-version=preview", "", "flow"},
	} {
		t.Run(c.name, func(t *testing.T) {
			transport := wiretest.Answering(wiretest.Stream, lines(completed))
			c.at.HTTPClient = &http.Client{Transport: transport}
			if _, err := New(Options{Endpoint: c.at}).Stream(t.Context(), providers.Request{}, nil); err != nil {
				t.Fatal(err)
			}
			header := transport.Request.Header
			if got := transport.Request.URL.String(); got != c.url {
				t.Errorf("asked at %s, want %s", got, c.url)
			}
			if got := header.Get("Authorization"); got != c.authorization {
				t.Errorf("authorization %q, want %q", got, c.authorization)
			}
			if got := header.Get("User-Agent"); got != c.agent {
				t.Errorf("agent %q, want %q", got, c.agent)
			}
			for name, values := range header {
				if strings.Contains(strings.Join(values, " "), "leaked") || strings.HasPrefix(name, "X-Stainless") {
					t.Errorf("header %s: %q", name, values)
				}
			}
		})
	}
}

// TestUnsent has requests that can't be made: they are not sent.
func TestUnsent(t *testing.T) {
	offered := []providers.ToolSpec{{Name: "now"}}
	for _, c := range []struct {
		name      string
		key, base string
		req       providers.Request
		says      string // nothing is wrong where it is ""
	}{
		{name: "all is well", key: "k"},
		{name: "a tool that is offered", key: "k", req: providers.Request{Tools: offered, Force: "now"}},
		{name: "a tool that is not", key: "k", req: providers.Request{Tools: offered, Force: "then"}, says: "does not offer"},
		{name: "no tools at all", key: "k", req: providers.Request{Force: "then", NoTools: true}},
		{name: "no key", says: "no API key"},
		{name: "no key elsewhere", base: "http://localhost/"},
		{name: "a schema that is no JSON", key: "k", req: providers.Request{Output: &providers.Output{Schema: []byte(`{`)}}, says: "can't be written:"},
		{name: "parameters that are no JSON", key: "k", req: providers.Request{Tools: []providers.ToolSpec{{Name: "f", Parameters: []byte(`{`)}}}, says: "can't be written:"},
		{name: "is invalid", key: "k", base: "ht!tp://sk-0123456789", says: "the base URL is invalid"},
		{name: "no host", key: "k", base: "http:///v1", says: "no Host"},
		{name: "a scheme that is none", key: "k", base: "localhost:8080/v1", says: "unsupported protocol scheme"},
		{name: "a key with a line break", key: "k\n", base: "http://h", says: "a header is invalid; check the key for a line break:"},
	} {
		t.Run(c.name, func(t *testing.T) {
			transport := wiretest.Answering(wiretest.Stream, lines(completed))
			at := providers.Endpoint{Ref: "p/m", BaseURL: c.base, APIKey: c.key, HTTPClient: &http.Client{Transport: transport}}
			if c.says == "no Host" || strings.Contains(c.says, "scheme") || strings.Contains(c.says, "header") {
				at.HTTPClient = nil // net/http itself refuses these
			}
			_, err := New(Options{Endpoint: at}).Stream(t.Context(), c.req, nil)
			if sent := transport.Request != nil; sent != (c.says == "") {
				t.Errorf("sent: %v", sent)
			}
			if c.says == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if providers.KindOf(err) != providers.KindConfiguration || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "sk-0123456789") {
				t.Errorf("error %v, want %q", err, c.says)
			}
		})
	}
}

// TestCancelled: what the caller's context says is the error, before there is a
// stream and in the middle of one.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	at := providers.Endpoint{Ref: "p/m", BaseURL: "http://127.0.0.1:1", HTTPClient: &http.Client{Transport: wiretest.Answering(wiretest.Stream, lines(
		`response.output_text.delta ,"output_index":0,"delta":"a"`, completed))}}
	model := New(Options{Endpoint: at})
	cause := &providers.Error{Message: "out of time"}
	cancel(cause)
	if _, err := model.Stream(ctx, providers.Request{}, nil); providers.KindOf(err) != providers.KindCancelled || !strings.Contains(err.Error(), "out of time") {
		t.Errorf("error %v", err)
	}
}

// TestOddStreams has what some services make of the events: the client takes none
// of it as it is.
func TestOddStreams(t *testing.T) {
	delta := `data: {"type":"response.output_text.delta","output_index":0,"delta":"a"`
	end := "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\"output\":[]}}\n\n"
	wireFormat.Run(t, wiretest.Decodings{
		{"an error that is none in each event", delta + ",\"error\":null}\n\n" + delta + ",\"error\":\"\"}\n\n" + end, "stop text(aa)"},
		{"data in several lines", "data: {\"type\":\ndata: \"response.output_text.delta\",\"delta\":\"a\"}\n\n" + end, "stop text(a)"},
		{"CRLF and comments", ": hello\r\n\r\n" + strings.ReplaceAll(delta+"}\n\n"+end, "\n", "\r\n"), "stop text(a)"},
		{"a document in lines", "{\n  \"status\": \"completed\",\n  \"output\": [{\"type\":\"message\",\"content\":[{\"text\":\"a\"}]}]\n}\n", `stop text(a){"type":"message","content":[{"text":"a"}]}`},
		{"nothing after the last event counts", delta + "}\n\n" + end + "data: oops\n\n", "stop text(a)"},
	})
	wireFormat.RunBroken(t, wiretest.Breakages{
		{"an error by its name alone", "event: error\ndata: {\"message\":\"slow\",\"code\":\"rate_limit_exceeded\"}\n\n", providers.KindRateLimited, true, "slow"},
		{"an error of mere words", "event: error\ndata: slow down\n\n", providers.KindProvider, false, "slow down"},
		{"an event that is no object", "data: [1]\n\n" + end, providers.KindProvider, true, "malformed event"},
		{"an event that is cut", delta, providers.KindNetwork, true, "cut off"},
		{"an error in the middle", delta + "}\n\n" + "data: {\"type\":\"response.in_progress\",\"error\":{\"message\":\"m\",\"code\":503}}\n\n", providers.KindOverloaded, true, "m"},
	})
}

// TestCost: what OpenRouter says of the cost is read here, too.
func TestCost(t *testing.T) {
	message, err := wireFormat.Decode(wiretest.Stream, lines(
		`response.completed ,"response":{"status":"completed","output":[],"usage":{"input_tokens":3,"output_tokens":4,"cost":0.01,"is_byok":true,"cost_details":{"upstream_inference_cost":0.25}}}`), nil)
	if cost := message.Usage.Cost; err != nil || cost == nil || *cost != 0.26 || message.Usage.InputTokens != 3 {
		t.Errorf("usage %+v, error %v", message.Usage, err)
	}
}
