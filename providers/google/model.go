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
	"bytes"
	"cmp"
	"context"
	"net/http"
	"slices"

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
	options Options
	client  *wire.Client
	tokens  *Tokens // nil without application default credentials
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
	m.options, m.client = options, wire.Connect(options.Endpoint)
	return m
}

// Info tells what the model is and can do.
func (m *Model) Info() providers.Info {
	structured := isNewest(m.options.Model)
	if m.options.StructuredOutput != nil {
		structured = *m.options.StructuredOutput
	}
	return providers.Info{Ref: m.options.Ref, Provider: m.options.Provider, StructuredOutput: structured}
}

// Stream sends req; see [providers.Model].
func (m *Model) Stream(ctx context.Context, req providers.Request, emit func(providers.Event)) (providers.Message, error) {
	res, err := m.send(ctx, req)
	if err != nil {
		return wire.Unanswered(m.options.Endpoint), err
	}
	stream := newStream(m.client, emit)
	return wire.Receive(ctx, m.options.Endpoint, res, stream.answer, stream)
}

// send returns the response with its body unread.
func (m *Model) send(ctx context.Context, req providers.Request) (*http.Response, error) {
	if err := m.check(req); err != nil {
		return nil, err
	}
	target, err := address(m.options)
	if err != nil {
		return nil, m.client.Misuse(err.Error())
	}
	body := m.body(req)
	if body == nil {
		return nil, m.client.Misuse("the parameters of a tool, or the schema of the output, are no JSON")
	}
	out, err := http.NewRequestWithContext(ctx, http.MethodPost, target, bytes.NewReader(body))
	if err != nil { // it would quote the URL, which may hold a secret
		return nil, m.client.Misuse(errBadURL.Error())
	}
	if err := m.setHeaders(ctx, out.Header); err != nil {
		return nil, err
	}
	return m.client.Do(out)
}

// setHeaders sets all but the token, which is the client's to set.
func (m *Model) setHeaders(ctx context.Context, header http.Header) error {
	header.Set("Content-Type", "application/json")
	header.Set("User-Agent", "flow")
	if m.options.APIKey != "" {
		header.Set("X-Goog-Api-Key", m.options.APIKey)
	}
	if m.tokens != nil {
		token, err := m.tokens.get(ctx)
		if err != nil {
			return m.client.Broken(ctx, err)
		}
		if token.quotaProject != "" {
			header.Set("X-Goog-User-Project", token.quotaProject)
		}
	}
	for name, value := range m.options.Headers {
		header.Set(name, value)
	}
	return nil
}

// check finds what the service could only answer with a riddle.
func (m *Model) check(req providers.Request) error {
	offered := slices.ContainsFunc(req.Tools, func(tool providers.ToolSpec) bool { return tool.Name == req.Force })
	if req.Force != "" && !req.NoTools && !offered {
		return m.client.Misuse("tool " + req.Force + " is to be called, but not offered")
	}
	if m.options.Token == nil && m.options.APIKey == "" && len(m.options.Headers) == 0 && isNative(m.options.BaseURL) {
		return m.client.Misuse("no API key")
	}
	return nil
}
