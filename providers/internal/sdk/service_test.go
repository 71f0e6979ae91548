package sdk

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3/option"

	"github.com/a-seed-11b9befa/flow/providers"
)

func TestNative(t *testing.T) {
	for base, want := range map[string]bool{
		"https://api.openai.com/v1/":                   true,
		"https://EU.api.openai.com/v1/":                true,
		"https://mine.openai.azure.com/openai/v1/":     true,
		"https://mine.cognitiveservices.azure.com/x":   true,
		"https://api.openai.com.evil.example/v1/":      false,
		"https://evilapi.openai.com/v1/":               false,
		"http://localhost:8080/api.openai.com":         false,
		"ht!tp://api.openai.com":                       false,
		"https://user:api.openai.com@evil.example/v1/": false,
	} {
		if got := Connect(Config{BaseURL: base}).Native; got != want {
			t.Errorf("%s: native %v, want %v", base, got, want)
		}
	}
}

func TestObeys(t *testing.T) {
	yes, no := true, false
	native, other := Connect(Config{BaseURL: "https://api.openai.com/v1/"}), Connect(Config{BaseURL: "http://localhost/"})
	if !native.Obeys(nil) || other.Obeys(nil) || native.Obeys(&no) || !other.Obeys(&yes) {
		t.Error("a schema is obeyed where the host is native, unless somebody said otherwise")
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
			service := Connect(Config{Ref: "p/m", BaseURL: "https://api.openai.com/v1/", APIKey: test.key})
			sent := false
			_, err := service.Send(ctx, test.req, func(option.RequestOption) error {
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
