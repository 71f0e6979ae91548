// Package openaichat implements models with OpenAI's Chat Completions: OpenAI's own, and
// those of the many services with the same format (OpenRouter, DeepSeek, Groq, Mistral,
// xAI, vLLM, llama.cpp, Ollama's /v1 …).
//
//	model := openaichat.New(openaichat.Options{Endpoint: providers.Endpoint{
//		Ref: "openai-chat/gpt-5-mini", Model: "gpt-5-mini", APIKey: key,
//	}})
//	answer, err := model.Stream(ctx, request, emit)
//
// Every request streams; a JSON document instead of a stream is accepted, too. Nothing is
// retried here, and no environment variables are read except those of a proxy.
//
// The reasoning of compatible services (reasoning_content, reasoning, reasoning_details) is
// a thinking block; its Raw has the fields as received, and the same provider gets them
// back. A refusal is a thinking block, too, with {"refusal": …} as its Raw and
// [providers.FinishContentFilter]; it is not part of the answer's text.
//
// Models of DeepSeek and Moonshot refuse an answer that is sent back without
// reasoning_content. If it has none, because of another model or because the model did not
// think, a blank is sent. Those of xAI accept reasoning_content. They are recognised by
// their hosts and, behind gateways, by their names.
//
// The format has no budget for reasoning; the nearest effort is sent.
package openaichat

import (
	"cmp"
	"context"
	"fmt"
	"net/http"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/native"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire"
)

// Options name a model and its service.
type Options struct {
	// Endpoint's base URL is what "chat/completions" is appended to, OpenAI's own when
	// empty; its provider is "openai-chat" when empty. The key is a bearer token.
	providers.Endpoint

	// Native says that the service supports all of OpenAI's format: strict schemas of
	// tools, and max_completion_tokens, which is max_tokens for any other. By default the
	// hosts of OpenAI and Azure do.
	Native bool

	// StructuredOutput says whether the service follows a response_format with a schema,
	// also with tools. By default a native one does, and any other without tools.
	StructuredOutput *bool

	// ReasoningContent says whether a model's reasoning is sent back as reasoning_content
	// with every answer, or only in the fields in which it came. By default it is for models
	// that are known to need it.
	ReasoningContent *bool
}

// Model is one model of one service. It is safe for concurrent use.
type Model struct {
	options *Options // a pointer, so that a struct with a Model is printed without its key
	client  *wire.Client
	native  bool
	openAI  bool // the host is one of OpenAI's, or Azure's
	returns returns
}

var _ providers.Model = (*Model)(nil)

// New returns the model that options name. Mistakes in them are errors of the requests.
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
func (m Model) Format(f fmt.State, verb rune) { m.options.Format(f, verb) }

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
	return m.client.Exchange(ctx, wire.At(m.options.BaseURL, "chat/completions"), m.request(req), header, stream.answer, stream)
}
