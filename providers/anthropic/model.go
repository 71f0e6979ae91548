// Package anthropic implements models with Anthropic's Messages API: Anthropic's own, and
// those of services with the same format.
//
//	model := anthropic.New(anthropic.Options{Endpoint: providers.Endpoint{
//		Ref: "anthropic/claude-sonnet-4-5", Model: "claude-sonnet-4-5", APIKey: key,
//	}})
//	answer, err := model.Stream(ctx, request, emit)
//
// Every request streams; a JSON document instead of a stream is accepted, too. Nothing is
// retried here, and no environment variables are read except those of a proxy.
//
// Thinking, redacted thinking, and what the service runs itself (web search and the like)
// are thinking blocks, whose Raw is the block as received; the same provider gets it back,
// in order and unchanged. A text with citations has its block as Raw, too.
//
// The beginning of each request is marked for the service's cache: the tools, the system
// prompt, and the conversation up to the last two messages of the user, so that each turn
// reads what the previous one wrote.
//
// What a model is known not to support is left out of the request: the seed, which the API
// does not have; temperature and top_p while it thinks, and for models without them; top_p
// for models that accept only one of both. A model with adaptive thinking gets the nearest
// effort for a budget, any other the nearest budget for an effort, below the limit of the
// answer. A forced tool excludes thinking; a model that always thinks can't be forced. A
// schema that the service can't enforce (a map, or a recursive one) is part of the prompt.
package anthropic

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire"
)

// defaultBaseURL is Anthropic's own.
const defaultBaseURL = "https://api.anthropic.com"

// apiVersion is the version of the format.
const apiVersion = "2023-06-01"

// Options name a model and its service.
type Options struct {
	// Endpoint's base URL is what "v1/messages" is appended to, Anthropic's own
	// when empty; one that ends in /v1 keeps it. Its provider is "anthropic" when
	// empty. The key goes in the header x-api-key.
	providers.Endpoint

	// StructuredOutput says whether the service follows a schema of the text, also with
	// tools. By default only Anthropic's host does, for models that support it.
	StructuredOutput *bool
}

// Model is one model of one service. It is safe for concurrent use.
type Model struct {
	options *Options // a pointer, so that a struct with a Model is printed without its key
	client  *wire.Client
	native  bool // the host is Anthropic's own
	can     ability
}

var _ providers.Model = (*Model)(nil)

// New returns the model that options name. Mistakes in them are errors of the requests.
func New(options Options) *Model {
	options.Provider = cmp.Or(options.Provider, "anthropic")
	options.BaseURL = cmp.Or(options.BaseURL, defaultBaseURL)
	return &Model{
		options: &options, client: wire.Connect(options.Endpoint),
		native: isNative(options.BaseURL), can: abilityOf(options.Model),
	}
}

// Format prints the model's reference, and never its key.
func (m Model) Format(f fmt.State, verb rune) { m.options.Format(f, verb) }

// Stream sends req; see [providers.Model].
func (m *Model) Stream(ctx context.Context, req providers.Request, emit func(providers.Event)) (providers.Message, error) {
	if err := cmp.Or(m.client.Check(req, m.native), m.checkReasoning(req.Params)); err != nil {
		return m.client.Unanswered(), err
	}
	header := http.Header{"Accept": {"text/event-stream"}, "Anthropic-Version": {apiVersion}}
	if m.options.APIKey != "" {
		header.Set("X-Api-Key", m.options.APIKey)
	}
	stream := newStream(m.client, emit)
	return m.client.Exchange(ctx, address(m.options.BaseURL), m.request(req), header, stream.answer, stream)
}

// address returns the URL of requests. The base URL may have the version in it.
func address(base string) string {
	if path, _, _ := strings.Cut(base, "?"); strings.HasSuffix(strings.TrimRight(path, "/"), "/v1") {
		return wire.At(base, "messages")
	}
	return wire.At(base, "v1/messages")
}

func isNative(base string) bool {
	u, err := url.Parse(base)
	return err == nil && strings.EqualFold(u.Hostname(), "api.anthropic.com")
}
