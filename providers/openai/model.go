// Package openai implements models with OpenAI's Responses API, using OpenAI's own client.
//
//	model := openai.New(openai.Options{Endpoint: providers.Endpoint{
//		Ref: "openai/gpt-5", Model: "gpt-5", APIKey: key,
//	}})
//	answer, err := model.Stream(ctx, request, emit)
//
// Every request streams; a JSON document instead of a stream is accepted, too. Nothing is
// retried here, and no environment variables are read except those of a proxy.
//
// The service stores nothing: every request has the whole conversation. Each item of an
// answer (message, reasoning with its encrypted content, call, and what the service runs
// itself) is a block, whose Raw is the item as received; the same provider gets it back,
// byte for byte and in order. A refusal is a thinking block with
// [providers.FinishContentFilter]; it is not part of the answer's text.
//
// The client writes the requests. Connections and streams are package wire's, which detects what the
// client does not: streams that are cut off, stalled, or too long.
//
// The API has no seed, which is left out, and no budget for reasoning, for which the nearest
// effort is sent.
package openai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/native"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire"
)

// Options name a model and its service.
type Options struct {
	// Endpoint's base URL is what "responses" is appended to, OpenAI's own when
	// empty; its provider is "openai" when empty. The key is a bearer token.
	providers.Endpoint

	// StructuredOutput says whether the service follows a schema of the text, also with
	// tools. By default the hosts of OpenAI and Azure do, and any other without tools.
	StructuredOutput *bool
}

// Model is one model of one service. It is safe for concurrent use.
type Model struct {
	options *Options // a pointer, so that a struct with a Model is printed without its key
	client  *wire.Client
	service responses.ResponseService
	native  bool  // the service is OpenAI's or Azure's
	broken  error // of the base URL
}

var _ providers.Model = (*Model)(nil)

// New returns the model that options name. Mistakes in them are errors of the requests.
func New(options Options) *Model {
	options.Provider = cmp.Or(options.Provider, "openai")
	options.BaseURL = cmp.Or(options.BaseURL, native.BaseURL)
	m := &Model{options: &options, client: wire.Connect(options.Endpoint), native: native.Host(options.BaseURL)}
	base, err := url.Parse(options.BaseURL)
	if err != nil {
		m.broken = err
		return m
	}
	connection := &transport{client: m.client, query: base.RawQuery}
	base.RawQuery = ""                        // which the client would drop
	m.service = responses.NewResponseService( // not a whole client, which reads the environment
		option.WithBaseURL(base.String()), option.WithAPIKey(options.APIKey),
		option.WithHTTPClient(connection), option.WithMaxRetries(0))
	return m
}

// Format prints the model's reference, and never its key.
func (m Model) Format(f fmt.State, verb rune) { m.options.Format(f, verb) }

// Stream sends req; see [providers.Model].
func (m *Model) Stream(ctx context.Context, req providers.Request, emit func(providers.Event)) (providers.Message, error) {
	if err := m.check(ctx, req); err != nil {
		return m.client.Unanswered(), err
	}
	var response *http.Response
	_, err := m.service.New(ctx, m.params(req), option.WithJSONSet("stream", true), option.WithResponseBodyInto(&response))
	if err != nil {
		return m.client.Unanswered(), m.unsent(ctx, err)
	}
	stream := newStream(m.client, emit)
	if !m.native {
		stream.most = int64(req.Params.MaxOutputTokens)
	}
	return m.client.Receive(ctx, response, stream.answer, stream)
}

// check returns an error for a request that can't be sent.
func (m *Model) check(ctx context.Context, req providers.Request) error {
	if m.broken != nil {
		return m.client.Broken(ctx, m.broken)
	}
	return m.client.Check(req, m.native)
}

// unsent returns the error for a request without a stream. The connection's is a
// [*providers.Error]; any other is the client's, for a request that it could not encode.
func (m *Model) unsent(ctx context.Context, err error) error {
	if told := new(providers.Error); ctx.Err() != nil || errors.As(err, &told) {
		return m.client.Broken(ctx, err)
	}
	return m.client.Misuse("the request can't be written: " + err.Error())
}

// A transport makes the connections of OpenAI's client.
type transport struct {
	client *wire.Client
	query  string // of the base URL
}

// Do sends req. Its errors are all a [*providers.Error].
func (t *transport) Do(req *http.Request) (*http.Response, error) {
	for name := range req.Header {
		if strings.HasPrefix(name, "X-Stainless-") { // they describe this machine
			delete(req.Header, name)
		}
	}
	req.Header.Set("Accept", "text/event-stream")
	req.URL.RawQuery = t.query
	return t.client.Do(req)
}
