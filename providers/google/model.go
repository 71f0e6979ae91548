// Package google asks Gemini models by Google's generateContent: at Google AI
// with an API key, or at Vertex AI with application default credentials.
//
//	model := google.New(google.Options{Endpoint: providers.Endpoint{
//		Ref: "google/gemini-3-flash-preview", Model: "gemini-3-flash-preview", APIKey: key,
//	}})
//	answer, err := model.Stream(ctx, request, emit)
//
// Every request streams. A service that answers with one JSON document, or with
// a list of them, in place of a stream is understood all the same. Nothing is
// retried here. No environment variable is read but those of a proxy, and for
// Vertex AI those in which golang.org/x/oauth2/google looks for credentials.
//
// The Raw of a block is the part as it came, wherever it holds more than a text:
// a thought signature, a call, code that the service ran itself. The same
// provider gets it back at the same place. Thoughts without a signature stay
// here: the service has no need of them.
//
// Calls that come without an id get one, which is not sent back, and Vertex AI is
// sent no ids but its own: it knows them for some models only. Gemini 3 refuses
// a call without its signature; one that another provider's model made, or an
// older Gemini, goes with the signature that Google documents for that case,
// skip_thought_signature_validator.
package google

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire"
)

// Options say which model is asked, and where.
type Options struct {
	// Endpoint's base URL is what "v1beta/models/…" is appended to, Google's own
	// when empty; one that ends in a version keeps it. Its provider is "google"
	// when empty. The key goes in the header x-goog-api-key.
	providers.Endpoint

	// Vertex asks Vertex AI in place of Google AI. The key is not sent then: a
	// token is, where the endpoint has no source of them from application default
	// credentials.
	Vertex *Vertex

	// StructuredOutput says whether the model obeys a schema with tools, too. By
	// default Gemini 3 and later do: those before refuse the two together.
	StructuredOutput *bool
}

// Model is one model of one service. It is safe for concurrent use.
type Model struct {
	options *Options // pointed to: what holds a Model is printed without its key
	client  *wire.Client
	tokens  *Tokens // nil without application default credentials
	offered providers.ToolMemo[json.RawMessage]
}

var _ providers.Model = (*Model)(nil)

// New returns the model that options name. What is wrong with them is told by
// the first request.
func New(options Options) *Model {
	options.Provider = cmp.Or(options.Provider, "google")
	m := &Model{}
	if options.Vertex != nil {
		options.APIKey = ""
		if options.Token == nil {
			m.tokens = cmp.Or(options.Vertex.Tokens, new(Tokens))
			options.Token = m.tokens.bearer
		}
	}
	m.options, m.client = &options, wire.Connect(options.Endpoint)
	return m
}

// Format prints the model's reference, and never its key.
func (m *Model) Format(f fmt.State, verb rune) { m.options.Format(f, verb) }

// Stream sends req; see [providers.Model].
func (m *Model) Stream(ctx context.Context, req providers.Request, emit func(providers.Event)) (providers.Message, error) {
	target, header, err := m.target(ctx, req)
	if err != nil {
		return m.client.Unanswered(), err
	}
	stream := newStream(m.client, emit)
	return m.client.Ask(ctx, target, m.request(req), header, stream.answer, stream)
}

// target is where a request goes, and what goes with it.
func (m *Model) target(ctx context.Context, req providers.Request) (url string, header http.Header, err error) {
	if err := m.client.Check(req, isNative(m.options.BaseURL)); err != nil {
		return "", nil, err
	}
	if url, err = address(*m.options); err != nil {
		return "", nil, m.client.Misuse(err.Error())
	}
	header = http.Header{}
	if m.options.APIKey != "" {
		header.Set("X-Goog-Api-Key", m.options.APIKey)
	}
	if m.tokens != nil {
		token, err := m.tokens.get(ctx)
		if err != nil {
			return "", nil, m.client.Broken(ctx, err)
		}
		if token.quotaProject != "" {
			header.Set("X-Goog-User-Project", token.quotaProject)
		}
	}
	return url, header, nil
}
