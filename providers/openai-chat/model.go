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
// Models of DeepSeek and Moonshot refuse an answer that comes back without
// reasoning_content. Where there is none, because another model gave it or it was
// not thought about, a blank goes in its place. Those of xAI take it where there is
// some. They are known by their hosts and, behind gateways, by their names.
//
// The format has no budget for reasoning: one is sent as the nearest effort.
package openaichat

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/native"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire"
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

	// ReasoningContent says whether what a model thought goes back as
	// reasoning_content, with every answer, or only in the fields that it came in.
	// By default it goes back so to the models that are known to want it.
	ReasoningContent *bool
}

// Model is one model of one service. It is safe for concurrent use.
type Model struct {
	options *Options // pointed to: what holds a Model is printed without its key
	client  *wire.Client
	native  bool
	openAI  bool // the host is one of OpenAI's, or Azure's
	offered providers.ToolMemo[json.RawMessage]
	returns returns
}

var _ providers.Model = (*Model)(nil)

// New returns the model that options name. What is wrong with them is told by
// the first request.
func New(options Options) *Model {
	options.Provider = cmp.Or(options.Provider, "openai-chat")
	options.BaseURL = cmp.Or(options.BaseURL, native.BaseURL)
	openAI := native.Host(options.BaseURL)
	return &Model{
		options: &options, client: wire.Connect(options.Endpoint),
		native:  options.Native || openAI,
		openAI:  openAI,
		returns: returnsOf(options),
	}
}

// Format prints the model's reference, and never its key.
func (m *Model) Format(f fmt.State, verb rune) { m.options.Format(f, verb) }

// Stream sends req; see [providers.Model].
func (m *Model) Stream(ctx context.Context, req providers.Request, emit func(providers.Event)) (providers.Message, error) {
	if err := m.client.Check(req, m.openAI); err != nil {
		return m.client.Unanswered(), err
	}
	header := http.Header{"Accept": {"text/event-stream"}}
	if m.options.APIKey != "" {
		header.Set("Authorization", "Bearer "+m.options.APIKey)
	}
	stream := newStream(m.client, emit)
	return m.client.Ask(ctx, wire.At(m.options.BaseURL, "chat/completions"), m.request(req), header, stream.answer, stream)
}
