// Package openaichat asks models by OpenAI's Chat Completions: OpenAI itself, and
// the many services that speak the same format (OpenRouter, DeepSeek, Groq,
// Mistral, xAI, vLLM, llama.cpp, Ollama's /v1 …).
//
//	model := openaichat.New(openaichat.Options{Endpoint: providers.Endpoint{
//		Ref: "openai-chat/gpt-5-mini", Model: "gpt-5-mini", APIKey: key,
//	}})
//	answer, err := model.Stream(ctx, request, emit)
//
// Every request streams. A service that answers with one JSON document in place
// of a stream is understood all the same. Nothing is retried here, and no
// environment variable is read but those of a proxy.
//
// The reasoning of compatible services (reasoning_content, reasoning,
// reasoning_details) is a thinking block; its Raw holds the fields as they came,
// and they go back to the same provider in the same fields. A refusal is a
// thinking block too, with {"refusal": …} as its Raw and
// [providers.FinishContentFilter]: it is no text of the answer.
//
// DeepSeek and Moonshot refuse an answer that comes back without reasoning_content.
// Where there is none, because another model gave it or it was not thought about,
// a blank goes in its place.
//
// The format has no budget for reasoning: one is sent as the nearest effort.
package openaichat

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/sdk"
)

// Options say which model is asked, and where.
type Options struct {
	// Endpoint's base URL is what "chat/completions" is appended to, OpenAI's own when
	// empty; its provider is "openai-chat" when empty. The key is a bearer token.
	providers.Endpoint

	// Native says that the service follows OpenAI in everything: it knows of
	// strict schemas of tools, and of max_completion_tokens, which is
	// max_tokens for any other. By default the hosts of OpenAI and Azure do.
	Native bool

	// StructuredOutput says whether the service obeys a response_format that is
	// a schema, with tools too. By default a native one does, and any other
	// where it is offered no tools.
	StructuredOutput *bool
}

// Model is one model of one service. It is safe for concurrent use.
type Model struct {
	options *Options // pointed to: what holds a Model is printed without its key
	service *sdk.Service
	offered providers.ToolMemo
	thinks  bool // every answer must come back with its reasoning_content
}

var _ providers.Model = (*Model)(nil)

// New returns the model that options name. What is wrong with them is told by
// the first request.
func New(options Options) *Model {
	options.Provider = cmp.Or(options.Provider, "openai-chat")
	return &Model{
		options: &options, service: sdk.Connect(options.Endpoint, "chat/completions", options.Native),
		thinks: wantsReasoning(options.BaseURL),
	}
}

// wantsReasoning reports whether the service at a base URL refuses answers without
// reasoning_content.
func wantsReasoning(base string) bool {
	u, err := url.Parse(base)
	return err == nil && slices.Contains([]string{"api.deepseek.com", "api.moonshot.ai", "api.moonshot.cn"}, strings.ToLower(u.Hostname()))
}

// Info tells what the model is and can do.
func (m *Model) Info() providers.Info {
	return m.service.Info(m.options.Endpoint, m.options.StructuredOutput)
}

// Format prints the model's reference, and never its key.
func (m *Model) Format(f fmt.State, verb rune) { m.options.Format(f, verb) }

// Stream sends req; see [providers.Model].
func (m *Model) Stream(ctx context.Context, req providers.Request, emit func(providers.Event)) (providers.Message, error) {
	stream := newStream(m.service.Client, emit)
	return m.service.Stream(ctx, req, sdk.Body{Params: m.params(req), Lists: m.lists(req)}, stream.answer, stream)
}
