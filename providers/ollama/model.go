// Package ollama implements models with Ollama's own API, /api/chat.
//
//	model := ollama.New(ollama.Options{Endpoint: providers.Endpoint{
//		Ref: "ollama/qwen3:4b", Model: "qwen3:4b", BaseURL: ollama.BaseURL(os.Getenv("OLLAMA_HOST")),
//	}})
//	answer, err := model.Stream(ctx, request, emit)
//
// Every request streams; a JSON document instead of a stream is accepted, too. Nothing is
// retried here, and no environment variables are read except those of a proxy.
//
// A prompt that is too long for the context is an error, [providers.KindContextLength]:
// requests tell the server not to truncate, and an older one, which truncates silently, is
// detected by its count of tokens if it cuts off much. The server decides how long the
// context is (num_ctx, which Endpoint's Body can set under options).
//
// Thinking is a thinking block, and is sent back to the same provider. The API can't force a
// call, nor forbid calls of tools: a forced tool is the only one that is offered, and if
// none may be called none is. A schema applies to all of an answer, so it is not used
// together with tools.
package ollama

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire"
)

// firstByte is the time for the server to load a model and to read a long prompt, without a
// graphics card.
const firstByte = 10 * time.Minute

// Options name a model and its server.
type Options struct {
	// Endpoint's base URL is what "api/chat" is appended to, that of a server on this
	// machine when empty; its provider is "ollama" when empty, and its FirstByteTimeout
	// 10 min when zero. A key is a bearer token, which a server in front may ask for.
	providers.Endpoint
}

// Model is one model of one server. It is safe for concurrent use.
type Model struct {
	at     *providers.Endpoint // a pointer, so that a struct with a Model is printed without its key
	client *wire.Client
}

var _ providers.Model = (*Model)(nil)

// New returns the model that options name. Mistakes in them are errors of the requests.
func New(options Options) *Model {
	at := options.Endpoint
	at.Provider = cmp.Or(at.Provider, "ollama")
	at.BaseURL = cmp.Or(at.BaseURL, defaultBaseURL)
	at.FirstByteTimeout = cmp.Or(at.FirstByteTimeout, firstByte)
	return &Model{at: &at, client: wire.Connect(at)}
}

// Format prints the model's reference, and never its key.
func (m Model) Format(f fmt.State, verb rune) { m.at.Format(f, verb) }

// Stream sends req; see [providers.Model].
func (m *Model) Stream(ctx context.Context, req providers.Request, emit func(providers.Event)) (providers.Message, error) {
	if err := m.client.Check(req, false); err != nil {
		return m.client.Unanswered(), err
	}
	header := http.Header{}
	if m.at.APIKey != "" {
		header.Set("Authorization", "Bearer "+m.at.APIKey)
	}
	body := m.request(req)
	stream := newStream(m.client, emit, body.size())
	return m.client.Exchange(ctx, wire.At(m.at.BaseURL, "api/chat"), body, header, stream.answer, stream)
}
