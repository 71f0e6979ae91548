// Package openai asks models by OpenAI's Responses API.
//
//	model := openai.New(openai.Options{Endpoint: providers.Endpoint{
//		Ref: "openai/gpt-5", Model: "gpt-5", APIKey: key,
//	}})
//	answer, err := model.Stream(ctx, request, emit)
//
// Every request streams. A service that answers with one JSON document in place
// of a stream is understood all the same. Nothing is retried here, and no
// environment variable is read but those of a proxy.
//
// Nothing is stored by the service: the whole conversation goes with every
// request. Each item of an answer (message, reasoning with its encrypted
// content, call, and what the service runs itself) is a block, whose Raw is the
// item as it came; the same provider gets it back, byte for byte and in order.
// A refusal is a thinking block with [providers.FinishContentFilter]: it is no
// text of the answer.
//
// The API has no seed, which is left out, and no budget for reasoning, which is
// sent as the nearest effort.
package openai

import (
	"cmp"
	"context"
	"fmt"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/sdk"
)

// Options say which model is asked, and where.
type Options struct {
	// Endpoint's base URL is what "responses" is appended to, OpenAI's own when
	// empty; its provider is "openai" when empty. The key is a bearer token.
	providers.Endpoint

	// ReasoningSummary asks for summaries of what the model thought: auto,
	// concise or detailed. Some models give them to verified organisations
	// only, so that none are asked for when it is empty.
	ReasoningSummary string

	// StructuredOutput says whether the service obeys a schema of the text, with
	// tools too. By default the hosts of OpenAI and Azure do, and any other
	// where it is offered no tools.
	StructuredOutput *bool
}

// Model is one model of one service. It is safe for concurrent use.
type Model struct {
	options *Options // pointed to: what holds a Model is printed without its key
	service *sdk.Service
	offered providers.ToolMemo
}

var _ providers.Model = (*Model)(nil)

// New returns the model that options name. What is wrong with them is told by
// the first request.
func New(options Options) *Model {
	options.Provider = cmp.Or(options.Provider, "openai")
	return &Model{options: &options, service: sdk.Connect(options.Endpoint, "responses", false)}
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
	if !m.service.Native {
		stream.most = int64(req.Params.MaxOutputTokens)
	}
	return m.service.Stream(ctx, req, sdk.Body{Params: m.params(req), Lists: m.lists(req)}, stream.answer, stream)
}
