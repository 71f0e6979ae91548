package providertest

import (
	"context"
	"net"
	"net/http"
	"strings"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/anthropic"
	"github.com/a-seed-11b9befa/flow/providers/azure"
	"github.com/a-seed-11b9befa/flow/providers/google"
	"github.com/a-seed-11b9befa/flow/providers/ollama"
	"github.com/a-seed-11b9befa/flow/providers/openai"
	openaichat "github.com/a-seed-11b9befa/flow/providers/openai-chat"
)

// A format is a wire format as one of flow's providers uses it, with a dialect of it.
type format struct {
	Provider
	model string   // of the service; model-1 when empty
	ids   string   // what the ids of its calls begin with; call_ when empty
	raws  []string // what a block may have as its Raw
}

// formats are all wire formats, those twice that have changed.
func formats() map[string]format {
	newResponses := func(e providers.Endpoint) providers.Model {
		return openai.New(openai.Options{Endpoint: e})
	}
	newChat := func(e providers.Endpoint) providers.Model {
		return openaichat.New(openaichat.Options{Endpoint: e})
	}
	newAnthropic := func(e providers.Endpoint) providers.Model {
		return anthropic.New(anthropic.Options{Endpoint: named(e, "http://api.anthropic.com")})
	}
	newGoogle := func(e providers.Endpoint) providers.Model {
		return google.New(google.Options{Endpoint: e})
	}
	newOllama := func(e providers.Endpoint) providers.Model {
		return ollama.New(ollama.Options{Endpoint: e})
	}
	newMessages := func() Dialect { return new(Messages) }
	thoughts := []string{
		`{"type":"thinking","thinking":"hm","signature":"S"}`, `{"type":"thinking","thinking":"hm","signature":""}`,
		`{"type":"redacted_thinking","data":"D"}`,
	}
	parts := []string{`{"thought":true}`, `{"thoughtSignature":"S"}`}
	return map[string]format{
		"openai-responses": {Provider: Provider{New: newResponses, Dialect: func() Dialect { return new(Responses) }}},
		"openai-chat": {
			Provider: Provider{New: newChat, Dialect: func() Dialect { return Chat{} }},
			ids:      "functions.read:", // as vLLM and others have them
		},
		"deepseek": {Provider: Provider{
			New:     func(e providers.Endpoint) providers.Model { return newChat(named(e, "http://api.deepseek.com")) },
			Dialect: func() Dialect { return Chat{Reasons: true} },
		}},
		"openrouter": {Provider: Provider{New: newChat, Dialect: func() Dialect { return new(OpenRouter) }}},
		"anthropic": {
			Provider: Provider{New: newAnthropic, Dialect: newMessages},
			model:    "claude-sonnet-4-5", ids: "toolu_", raws: thoughts,
		},
		"anthropic adaptive": {
			Provider: Provider{New: newAnthropic, Dialect: newMessages},
			model:    "claude-opus-4-7", ids: "toolu_", raws: thoughts,
		},
		"google": {
			Provider: Provider{New: newGoogle, Dialect: func() Dialect { return new(Google) }},
			model:    "gemini-3-pro-preview", raws: parts,
		},
		"google older": {Provider: Provider{New: newGoogle, Dialect: func() Dialect { return &Google{Older: true} }}, raws: parts},
		"ollama":       {Provider: Provider{New: newOllama, Dialect: func() Dialect { return Ollama{} }}},
		"ollama older": {Provider: Provider{New: newOllama, Dialect: func() Dialect { return Ollama{Older: true} }}},
	}
}

// named is an endpoint that is reached under another name.
func named(e providers.Endpoint, name string) providers.Endpoint {
	served := strings.TrimPrefix(e.BaseURL, "http://")
	e.BaseURL = name
	if e.HTTPClient == nil {
		e.HTTPClient = &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, served)
		}}}
	}
	return e
}

// deployed are the formats as Azure has them.
func deployed() (responses, chat Provider) {
	responses, chat = formats()["openai-responses"].Provider, formats()["openai-chat"].Provider
	responses.New = func(e providers.Endpoint) providers.Model {
		return openai.New(openai.Options{Endpoint: azure.Deployment(e, "", new(azure.Tokens))})
	}
	chat.New = func(e providers.Endpoint) providers.Model {
		return openaichat.New(openaichat.Options{Native: true, Endpoint: azure.Deployment(e, "", new(azure.Tokens))})
	}
	return responses, chat
}
