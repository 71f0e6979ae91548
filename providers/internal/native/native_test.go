package native

import (
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
)

func TestHost(t *testing.T) {
	for base, want := range map[string]bool{
		BaseURL:                         true,
		"https://EU.api.openai.com/v1/": true,
		"https://mine.openai.azure.com/openai/v1/":     true,
		"https://mine.cognitiveservices.azure.com/x":   true,
		"https://mine.services.ai.azure.com/openai/v1": true,
		"": false,
		"https://api.openai.com.evil.example/v1/":      false,
		"https://evilapi.openai.com/v1/":               false,
		"http://localhost:8080/api.openai.com":         false,
		"ht!tp://api.openai.com":                       false,
		"https://user:api.openai.com@evil.example/v1/": false,
	} {
		if got := Host(base); got != want {
			t.Errorf("%s: native %v, want %v", base, got, want)
		}
	}
}

func TestInfo(t *testing.T) {
	for _, c := range []struct {
		native         bool
		said           *bool
		trusted, alone bool
	}{
		{true, nil, true, false},
		{true, new(false), false, false},
		{false, nil, false, true},
		{false, new(true), true, false},
		{false, new(false), false, false},
	} {
		got := Info(providers.Endpoint{Ref: "p/m", Provider: "p"}, c.native, c.said)
		if want := (providers.Info{Ref: "p/m", Provider: "p", StructuredOutput: c.trusted, StructuredAlone: c.alone}); got != want {
			t.Errorf("%+v: info %+v", c, got)
		}
	}
}
