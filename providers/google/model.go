// Package google implements Gemini models with Google's generateContent: at Google AI with
// an API key, or at Vertex AI with application default credentials.
//
//	model := google.New(google.Options{Endpoint: providers.Endpoint{
//		Ref: "google/gemini-3-flash-preview", Model: "gemini-3-flash-preview", APIKey: key,
//	}})
//	answer, err := model.Stream(ctx, request, emit)
//
// Every request streams; a JSON document, or a list of them, instead of a stream is
// accepted, too. Nothing is retried here. No environment variables are read except those
// of a proxy, and for Vertex AI those that golang.org/x/oauth2/google uses for credentials.
//
// The Raw of a block is the part as received, if it is more than a text: a thought
// signature, a call, code that the service ran itself. The same provider gets it back at
// the same place. Thoughts without a signature are not sent back: the service does not
// need them.
//
// Calls that come without an id get one, which is not sent back, and Vertex AI gets only
// its own ids, which it supports for some models only. Gemini 3 refuses a call without a
// signature; one of another provider's model, or of an older Gemini, gets the signature
// that Google documents for that case, skip_thought_signature_validator.
package google

import (
	"cmp"
	"context"
	"fmt"
	"net/http"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire"
)

// Options name a model and its service.
type Options struct {
	// Endpoint's base URL is what "v1beta/models/…" is appended to, Google's own
	// when empty; one that ends in a version keeps it. Its provider is "google"
	// when empty. The key goes in the header x-goog-api-key.
	providers.Endpoint

	// Vertex selects Vertex AI instead of Google AI. Then the key is not sent, but the
	// endpoint's token, by default one from application default credentials.
	Vertex *Vertex

	// StructuredOutput says whether the model follows a schema also with tools. By default
	// Gemini 3 and later do: earlier ones refuse the two together.
	StructuredOutput *bool
}

// Model is one model of one service. It is safe for concurrent use.
type Model struct {
	options *Options // a pointer, so that a struct with a Model is printed without its key
	client  *wire.Client
	tokens  *Tokens // nil without application default credentials
}

var _ providers.Model = (*Model)(nil)

// New returns the model that options name. Mistakes in them are errors of the requests.
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
func (m Model) Format(f fmt.State, verb rune) { m.options.Format(f, verb) }

// Stream sends req; see [providers.Model].
func (m *Model) Stream(ctx context.Context, req providers.Request, emit func(providers.Event)) (providers.Message, error) {
	target, header, err := m.target(ctx, req)
	if err != nil {
		return m.client.Unanswered(), err
	}
	stream := newStream(m.client, emit)
	return m.client.Exchange(ctx, target, m.request(req), header, stream.answer, stream)
}

// target returns the URL and the header of a request.
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
