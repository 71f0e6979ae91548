// Package openaichat asks models by OpenAI's Chat Completions: OpenAI itself, and
// the many services that speak the same format (OpenRouter, DeepSeek, Groq,
// Mistral, xAI, vLLM, llama.cpp, Ollama's /v1 …).
//
//	model := openaichat.New(openaichat.Options{
//		Ref: "openai-chat/gpt-5-mini", Provider: "openai-chat", Model: "gpt-5-mini",
//		APIKey: key,
//	})
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
// The format has no budget for reasoning: one is sent as the nearest effort.
package openaichat

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/sdk"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire"
)

// DefaultBaseURL is OpenAI's own.
const DefaultBaseURL = "https://api.openai.com/v1/"

// Options say which model is asked, and where.
type Options struct {
	Ref      string // the model as a workflow names it
	Provider string // the name of the service; "openai-chat" when empty
	Model    string // the model as the service names it
	APIKey   string // sent as a bearer token; none is sent when empty
	BaseURL  string // what "chat/completions" is appended to; DefaultBaseURL when empty
	Headers  map[string]string

	// HTTPClient makes the connections; nil stands for one of the model's own.
	HTTPClient *http.Client

	ConnectTimeout   time.Duration // until the connection stands (of the model's own client only); 30 s when zero
	FirstByteTimeout time.Duration // from sending to the first byte; 3 min when zero
	IdleTimeout      time.Duration // between two bytes; 2 min when zero, and 10 min between two events

	// MaxTokensField is the name under which the service takes the limit of the
	// answer: max_completion_tokens by default for the hosts of OpenAI and
	// Azure, max_tokens for any other.
	MaxTokensField string

	// StructuredOutput says whether the service obeys a response_format that is
	// a schema, with tools too. By default the hosts of OpenAI and Azure do, and
	// no other is trusted to.
	StructuredOutput *bool
}

// Model is one model of one service. It is safe for concurrent use.
type Model struct {
	options Options
	service *sdk.Service
	api     openai.ChatCompletionService
}

var _ providers.Model = (*Model)(nil)

// New returns the model that options name. What is wrong with them is told by
// the first request.
func New(options Options) *Model {
	options.Provider = cmp.Or(options.Provider, "openai-chat")
	options.BaseURL = cmp.Or(options.BaseURL, DefaultBaseURL)
	m := &Model{options: options}
	m.service = sdk.Connect(sdk.Config{
		Ref: options.Ref, BaseURL: options.BaseURL, APIKey: options.APIKey, Headers: options.Headers, HTTP: options.HTTPClient,
		Limits: wire.Limits{Connect: options.ConnectTimeout, FirstByte: options.FirstByteTimeout, Idle: options.IdleTimeout},
	})
	m.api = openai.NewChatCompletionService(m.service.Options()...)
	m.options.MaxTokensField = cmp.Or(options.MaxTokensField, m.defaultMaxTokensField())
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

func (m *Model) defaultMaxTokensField() string {
	if m.service.Native {
		return "max_completion_tokens"
	}
	return "max_tokens"
}
