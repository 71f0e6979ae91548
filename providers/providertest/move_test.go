package providertest_test

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/anthropic"
	"github.com/a-seed-11b9befa/flow/providers/google"
	"github.com/a-seed-11b9befa/flow/providers/ollama"
	"github.com/a-seed-11b9befa/flow/providers/openai"
	openaichat "github.com/a-seed-11b9befa/flow/providers/openai-chat"
	"github.com/a-seed-11b9befa/flow/providers/providertest"
)

// dialects are all wire formats, those twice that have changed.
func dialects() map[string]providertest.Provider {
	newGoogle := func(e providers.Endpoint) providers.Model {
		return google.New(google.Options{Endpoint: e})
	}
	newOllama := func(e providers.Endpoint) providers.Model {
		return ollama.New(ollama.Options{Endpoint: e})
	}
	return map[string]providertest.Provider{
		"openai-responses": {
			Dialect: func() providertest.Dialect { return new(providertest.Responses) },
			New: func(e providers.Endpoint) providers.Model {
				return openai.New(openai.Options{Endpoint: e})
			},
		},
		"openai-chat": {
			IDs:     "functions.read:", // as vLLM and others have them
			Dialect: func() providertest.Dialect { return providertest.Chat{} },
			New: func(e providers.Endpoint) providers.Model {
				return openaichat.New(openaichat.Options{Endpoint: e})
			},
		},
		"deepseek": {
			Dialect: func() providertest.Dialect { return providertest.Chat{Reasons: true} },
			New: func(e providers.Endpoint) providers.Model {
				return openaichat.New(openaichat.Options{Endpoint: named(e, "http://api.deepseek.com")})
			},
		},
		"openrouter": {
			Dialect: func() providertest.Dialect { return new(providertest.OpenRouter) },
			New: func(e providers.Endpoint) providers.Model {
				return openaichat.New(openaichat.Options{Endpoint: e})
			},
		},
		"anthropic": {
			Model: "claude-sonnet-4-5", IDs: "toolu_",
			Dialect: func() providertest.Dialect { return new(providertest.Messages) },
			New: func(e providers.Endpoint) providers.Model {
				return anthropic.New(anthropic.Options{Endpoint: e})
			},
		},
		"google":       {Model: "gemini-3-pro-preview", Dialect: func() providertest.Dialect { return new(providertest.Google) }, New: newGoogle},
		"google older": {Dialect: func() providertest.Dialect { return &providertest.Google{Older: true} }, New: newGoogle},
		"ollama":       {Dialect: func() providertest.Dialect { return providertest.Ollama{} }, New: newOllama},
		"ollama older": {Dialect: func() providertest.Dialect { return providertest.Ollama{Older: true} }, New: newOllama},
	}
}

// named is an endpoint that is reached under another name.
func named(e providers.Endpoint, name string) providers.Endpoint {
	served := strings.TrimPrefix(e.BaseURL, "http://")
	e.BaseURL = name
	e.HTTPClient = &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, served)
	}}}
	return e
}

func TestMoves(t *testing.T) {
	for from, home := range dialects() {
		for to, away := range dialects() {
			t.Run(from+" to "+to, func(t *testing.T) { providertest.Move(t, home, away) })
		}
	}
}
