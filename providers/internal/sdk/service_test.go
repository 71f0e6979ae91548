package sdk

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/providertest"
)

func TestNative(t *testing.T) {
	for base, want := range map[string]bool{
		"https://api.openai.com/v1/":                   true,
		"https://EU.api.openai.com/v1/":                true,
		"https://mine.openai.azure.com/openai/v1/":     true,
		"https://mine.cognitiveservices.azure.com/x":   true,
		"https://mine.services.ai.azure.com/openai/v1": true,
		"": true,
		"https://api.openai.com.evil.example/v1/":      false,
		"https://evilapi.openai.com/v1/":               false,
		"http://localhost:8080/api.openai.com":         false,
		"ht!tp://api.openai.com":                       false,
		"https://user:api.openai.com@evil.example/v1/": false,
	} {
		if got := Connect(providers.Endpoint{BaseURL: base}, "responses", false).Native; got != want {
			t.Errorf("%s: native %v, want %v", base, got, want)
		}
	}
}

func TestInfo(t *testing.T) {
	yes, no := true, false
	tests := []struct {
		base    string
		native  bool
		said    *bool
		trusted bool
		alone   bool
	}{
		{"https://api.openai.com/v1/", false, nil, true, false},
		{"https://api.openai.com/v1/", false, &no, false, false},
		{"http://localhost/", false, nil, false, true},
		{"http://localhost/", false, &yes, true, false},
		{"http://localhost/", false, &no, false, false},
		{"http://localhost/", true, nil, true, false},
	}
	for _, test := range tests {
		at := providers.Endpoint{Ref: "p/m", Provider: "p", BaseURL: test.base}
		got := Connect(at, "responses", test.native).Info(at, test.said)
		if want := (providers.Info{Ref: "p/m", Provider: "p", StructuredOutput: test.trusted, StructuredAlone: test.alone}); got != want {
			t.Errorf("%+v: info %+v", test, got)
		}
	}
}

// hello is the least body.
var hello = Body{Params: json.RawMessage(`{"model":"m"}`)}

// TestRequest shows that what is in the environment goes nowhere, and that all
// that is named goes with a request.
func TestRequest(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "leaked-key")
	t.Setenv("OPENAI_ORG_ID", "leaked-organisation")
	t.Setenv("OPENAI_BASE_URL", "http://leaked.example")
	t.Setenv("OPENAI_CUSTOM_HEADERS", "X-Leaked: leaked")
	token := func(context.Context) (string, error) { return "fresh", nil }
	tests := []struct {
		name          string
		at            providers.Endpoint
		url           string
		authorization string
	}{
		{"nothing", providers.Endpoint{Headers: map[string]string{"X-Key": "k"}}, "https://api.openai.com/v1/chat/completions", ""},
		{"a key", providers.Endpoint{APIKey: "sk-mine"}, "https://api.openai.com/v1/chat/completions", "Bearer sk-mine"},
		{"a token", providers.Endpoint{Token: token}, "https://api.openai.com/v1/chat/completions", "Bearer fresh"},
		{"no slash", providers.Endpoint{BaseURL: "http://h/v1"}, "http://h/v1/chat/completions", ""},
		{"a query", providers.Endpoint{BaseURL: "http://h/deployments/d?api-version=2024-10-21"}, "http://h/deployments/d/chat/completions?api-version=2024-10-21", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			transport := &providertest.Transport{Stream: "data: [DONE]\n\n"}
			test.at.HTTPClient = &http.Client{Transport: transport}
			service := Connect(test.at, "chat/completions", false)
			res, err := service.send(t.Context(), providers.Request{}, hello)
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
			if got := transport.Request.URL.String(); got != test.url {
				t.Errorf("asked at %s, want %s", got, test.url)
			}
			if got := transport.Request.Header.Get("Authorization"); got != test.authorization {
				t.Errorf("authorization %q, want %q", got, test.authorization)
			}
			for name, values := range transport.Request.Header {
				if strings.Contains(strings.Join(values, " "), "leaked") {
					t.Errorf("header %s: %q", name, values)
				}
			}
		})
	}
}

// TestSend has requests that can't be asked: they are not sent.
func TestSend(t *testing.T) {
	tools := []providers.ToolSpec{{Name: "now"}}
	tests := []struct {
		name string
		key  string
		base string
		req  providers.Request
		body Body
		told string // the error's; nothing is wrong where it is ""
	}{
		{name: "all is well", key: "k", body: hello},
		{name: "a tool that is offered", key: "k", body: hello, req: providers.Request{Tools: tools, Force: "now"}},
		{name: "a tool that is not", key: "k", body: hello, req: providers.Request{Tools: tools, Force: "then"}, told: "not offered"},
		{name: "no tools at all", key: "k", body: hello, req: providers.Request{Force: "then", NoTools: true}},
		{name: "no key", body: hello, told: "no API key"},
		{name: "no key elsewhere", base: "http://localhost/", body: hello},
		{name: "no JSON", key: "k", body: Body{Params: unwritable{}}, told: "no JSON"},
		{name: "no URL", key: "k", base: "ht!tp://h", body: hello, told: "the base URL is no URL"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			transport := &providertest.Transport{Stream: "data: [DONE]\n\n"}
			at := providers.Endpoint{Ref: "p/m", BaseURL: test.base, APIKey: test.key, HTTPClient: &http.Client{Transport: transport}}
			res, err := Connect(at, "responses", false).send(t.Context(), test.req, test.body)
			if sent := transport.Request != nil; sent != (test.told == "") {
				t.Errorf("sent: %v", sent)
			}
			if test.told == "" {
				if err != nil {
					t.Fatal(err)
				}
				res.Body.Close()
				return
			}
			if providers.KindOf(err) != providers.KindConfiguration || !strings.Contains(err.Error(), test.told) {
				t.Errorf("error %v, want %q", err, test.told)
			}
		})
	}
}
