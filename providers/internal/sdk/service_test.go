package sdk

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

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
		if got := Connect(providers.Endpoint{BaseURL: base}, false).Native; got != want {
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
		got := Connect(providers.Endpoint{Ref: "p/m", Provider: "p", BaseURL: test.base}, test.native).Info(test.said)
		if want := (providers.Info{Ref: "p/m", Provider: "p", StructuredOutput: test.trusted, StructuredAlone: test.alone}); got != want {
			t.Errorf("%+v: info %+v", test, got)
		}
	}
}

// TestOptions shows that what is in the environment goes nowhere, and that all
// that is named goes with a request.
func TestOptions(t *testing.T) {
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
		{"nothing", providers.Endpoint{}, "https://api.openai.com/v1/chat/completions", ""},
		{"a key", providers.Endpoint{APIKey: "sk-mine"}, "https://api.openai.com/v1/chat/completions", "Bearer sk-mine"},
		{"a token", providers.Endpoint{Token: token}, "https://api.openai.com/v1/chat/completions", "Bearer fresh"},
		{"a query", providers.Endpoint{BaseURL: "http://h/deployments/d?api-version=2024-10-21"}, "http://h/deployments/d/chat/completions?api-version=2024-10-21", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			transport := &providertest.Transport{Stream: "data: [DONE]\n\n"}
			test.at.HTTPClient = &http.Client{Transport: transport}
			test.at.Headers = map[string]string{"X-Title": "flow"}
			service := Connect(test.at, false)
			api := openai.NewChatCompletionService(service.Options()...)
			res, err := service.send(t.Context(), providers.Request{}, func(into option.RequestOption) error {
				return api.NewStreaming(t.Context(), openai.ChatCompletionNewParams{Model: "m"}, into).Err()
			})
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
			if transport.Request.Header.Get("X-Title") != "flow" {
				t.Error("the header of the endpoint is missing")
			}
			for name, values := range transport.Request.Header {
				if strings.HasPrefix(name, "X-Stainless") || strings.Contains(strings.Join(values, " "), "leaked") {
					t.Errorf("header %s: %q", name, values)
				}
			}
		})
	}
}

// What can't be asked is not sent, and what happened before anything was sent
// is the configuration's fault.
func TestSend(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	tools := []providers.ToolSpec{{Name: "now"}}
	tests := []struct {
		name string
		ctx  context.Context
		key  string
		req  providers.Request
		err  error // of the SDK
		kind providers.Kind
		told string
		sent bool
	}{
		{name: "all is well", key: "k", sent: true},
		{name: "a tool that is offered", key: "k", req: providers.Request{Tools: tools, Force: "now"}, sent: true},
		{name: "a tool that is not", key: "k", req: providers.Request{Tools: tools, Force: "then"}, kind: providers.KindConfiguration, told: "not offered"},
		{name: "no tools at all", key: "k", req: providers.Request{Force: "then", NoTools: true}, sent: true},
		{name: "no key", kind: providers.KindConfiguration, told: "no API key"},
		{name: "the SDK's own", key: "k", err: errors.New("no such field"), kind: providers.KindConfiguration, told: "no such field", sent: true},
		{name: "the client's", key: "k", err: &providers.Error{Kind: providers.KindAuth, Message: "no"}, kind: providers.KindAuth, told: "no", sent: true},
		{name: "cancelled", ctx: cancelled, key: "k", err: errors.New("x"), kind: providers.KindCancelled, sent: true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			ctx := t.Context()
			if test.ctx != nil {
				ctx = test.ctx
			}
			service := Connect(providers.Endpoint{Ref: "p/m", APIKey: test.key}, false)
			sent := false
			_, err := service.send(ctx, test.req, func(option.RequestOption) error {
				sent = true
				return test.err
			})
			if sent != test.sent {
				t.Errorf("sent: %v", sent)
			}
			if test.kind == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if providers.KindOf(err) != test.kind || !strings.Contains(err.Error(), test.told) {
				t.Errorf("error %v, want kind %s and %q", err, test.kind, test.told)
			}
		})
	}
}
