// Package openai asks models by OpenAI's Responses API.
//
//	model := openai.New(openai.Options{
//		Ref: "openai/gpt-5", Provider: "openai", Model: "gpt-5", APIKey: key,
//	})
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
	"net/http"
	"time"

	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/sdk"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire"
)

// DefaultBaseURL is OpenAI's own.
const DefaultBaseURL = "https://api.openai.com/v1/"

// Options say which model is asked, and where.
type Options struct {
	Ref      string // the model as a workflow names it
	Provider string // the name of the service; "openai" when empty
	Model    string // the model as the service names it
	APIKey   string // sent as a bearer token; none is sent when empty
	BaseURL  string // what "responses" is appended to; DefaultBaseURL when empty
	Headers  map[string]string

	// HTTPClient makes the connections; nil stands for one of the model's own.
	HTTPClient *http.Client

	ConnectTimeout   time.Duration // until the connection stands (of the model's own client only); 30 s when zero
	FirstByteTimeout time.Duration // from sending to the first byte; 3 min when zero
	IdleTimeout      time.Duration // between two bytes; 2 min when zero, and 10 min between two events

	// ReasoningSummary asks for summaries of what the model thought: auto,
	// concise or detailed. Some models give them to verified organisations
	// only, so that none are asked for when it is empty.
	ReasoningSummary string

	// StructuredOutput says whether the service obeys a schema of the
	// text, with tools too. By default the hosts of OpenAI and Azure do, and
	// no other is trusted to.
	StructuredOutput *bool
}

// Model is one model of one service. It is safe for concurrent use.
type Model struct {
	options Options
	service *sdk.Service
	api     responses.ResponseService
}

var _ providers.Model = (*Model)(nil)

// New returns the model that options name. What is wrong with them is told by
// the first request.
func New(options Options) *Model {
	options.Provider = cmp.Or(options.Provider, "openai")
	options.BaseURL = cmp.Or(options.BaseURL, DefaultBaseURL)
	m := &Model{options: options}
	m.service = sdk.Connect(sdk.Config{
		Ref: options.Ref, BaseURL: options.BaseURL, APIKey: options.APIKey, Headers: options.Headers, HTTP: options.HTTPClient,
		Limits: wire.Limits{Connect: options.ConnectTimeout, FirstByte: options.FirstByteTimeout, Idle: options.IdleTimeout},
	})
	m.api = responses.NewResponseService(m.service.Options()...)
	return m
}

// Info tells what the model is and can do.
func (m *Model) Info() providers.Info {
	return providers.Info{
		Ref: m.options.Ref, Provider: m.options.Provider,
		StructuredOutput: m.service.Obeys(m.options.StructuredOutput),
	}
}

// Stream sends req; see [providers.Model].
func (m *Model) Stream(ctx context.Context, req providers.Request, emit func(providers.Event)) (providers.Message, error) {
	message := providers.Message{Role: providers.RoleAssistant, Provider: m.options.Provider, Model: m.options.Ref}
	res, err := m.service.Send(ctx, req, func(into option.RequestOption) error {
		return m.api.NewStreaming(ctx, m.params(req), into).Err()
	})
	if err != nil {
		return message, err
	}
	defer res.Body.Close()
	stream := newStream(m.service.Client, emit)
	err = stream.read(ctx, wire.NewEvents(res))
	message.Usage = stream.usage.normal()
	if err != nil {
		message.Blocks, message.Finish = stream.answer.Partial(), providers.FinishError
		return message, err
	}
	message.Blocks, message.Finish = stream.answer.Finish(), stream.finish()
	return message, nil
}
