// Package anthropic asks models by Anthropic's Messages API: Anthropic itself,
// and the services that speak the same format.
//
//	model := anthropic.New(anthropic.Options{Endpoint: providers.Endpoint{
//		Ref: "anthropic/claude-sonnet-4-5", Model: "claude-sonnet-4-5", APIKey: key,
//	}})
//	answer, err := model.Stream(ctx, request, emit)
//
// Every request streams. A service that answers with one JSON document in place
// of a stream is understood all the same. Nothing is retried here, and no
// environment variable is read but those of a proxy.
//
// Thinking, redacted thinking, and what the service runs itself (web search and
// its like) are thinking blocks, whose Raw is the block as it came; the same
// provider gets it back, in order and unchanged. A text with citations has its
// block as Raw, too. What the service runs itself is never run here.
//
// The beginning of each request is marked for the service's cache: the tools, the
// system prompt, and the conversation up to its last two messages of the user, so
// that each turn reads what the one before it wrote.
//
// What a model is known not to take is left out of the request: the seed, which
// the API has not; temperature and top_p while it thinks, and for models that
// take none; the lesser of the two (top_p) for models that take one. A model
// that thinks as it sees fit is told the effort that is nearest to a budget, any
// other the budget that is nearest to an effort, below the limit of the answer.
// A forced tool goes without thinking; a model that always thinks can't be
// forced, and is free to call. A schema that the service can't obey (a map, or
// one that refers to itself) is shown to the model in words.
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

// DefaultBaseURL is Anthropic's own.
const DefaultBaseURL = "https://api.anthropic.com"

// apiVersion is the version of the format.
const apiVersion = "2023-06-01"

// Options say which model is asked, and where.
type Options struct {
	// Endpoint's base URL is what "v1/messages" is appended to, Anthropic's own
	// when empty; one that ends in /v1 keeps it. Its provider is "anthropic" when
	// empty. The key goes in the header x-api-key.
	providers.Endpoint

	// MaxTokens is the limit of an answer where the request names none: the API
	// must have one. When zero it is the most that the model is known to give,
	// and 32,000 for a model that is not known.
	MaxTokens int

	// StructuredOutput says whether the service obeys a schema of the text, with
	// tools too. By default Anthropic's host does, for the models that can, and
	// no other is trusted to.
	StructuredOutput *bool
}

// Model is one model of one service. It is safe for concurrent use.
type Model struct {
	options *Options // pointed to: what holds a Model is printed without its key
	client  *wire.Client
	native  bool // the host is Anthropic's own
	can     ability
}

var _ providers.Model = (*Model)(nil)

// New returns the model that options name. What is wrong with them is told by
// the first request.
func New(options Options) *Model {
	options.Provider = cmp.Or(options.Provider, "anthropic")
	options.BaseURL = cmp.Or(options.BaseURL, DefaultBaseURL)
	can := abilityOf(options.Model)
	options.MaxTokens = cmp.Or(options.MaxTokens, can.maxTokens)
	return &Model{options: &options, client: wire.Connect(options.Endpoint), native: isNative(options.BaseURL), can: can}
}

// Format prints the model's reference, and never its key.
func (m *Model) Format(f fmt.State, verb rune) { m.options.Format(f, verb) }

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
	return m.client.Ask(ctx, address(m.options.BaseURL), m.request(req), header, stream.answer, stream)
}

// address is where requests go. Some name the base URL with its version, and
// some without.
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
