package host

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"syscall"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/cache"
	"github.com/a-seed-11b9befa/flow/steps"
)

// A hinted model adds to a refusal what its user can do about it. Only this package knows where
// the key and the address came from.
type hinted struct {
	providers.Model
	endpoint *endpoint
	name     string // the model's name at its service
	window   int64  // how many tokens the model reads; 0: nobody knows
}

// Keep implements [runner.Keeper].
func (m hinted) Keep(work *cache.Conversation) providers.Model {
	e := m.endpoint
	at := e.Endpoint
	at.Model = m.name
	obeys := e.limits.StructuredOutput != nil && *e.limits.StructuredOutput
	return work.Keep(m, cache.DigestOf(at, e.api, e.version, fmt.Sprint(obeys, e.limits.ReasoningContent)))
}

// Info adds the model's window, which wire formats don't know.
func (m hinted) Info() providers.Info {
	info := m.Model.Info()
	info.Context = m.window
	return info
}

// Stream asks the model.
func (m hinted) Stream(ctx context.Context, req providers.Request, emit func(providers.Event)) (providers.Message, error) {
	answer, err := m.Model.Stream(ctx, req, emit)
	var refused *providers.Error
	if !errors.As(err, &refused) {
		return answer, err
	}
	hint := m.hint(refused)
	if hint == "" {
		return answer, err
	}
	return answer, &steps.Error{Kind: steps.KindOf(err), Message: err.Error(), Hint: hint, Err: err}
}

// hint returns "" if there is nothing to add to what the service says.
func (m hinted) hint(e *providers.Error) string {
	switch {
	case m.endpoint.api == apiOllama:
		return m.ofOllama(e)
	case e.Status == http.StatusNotFound:
		return fmt.Sprintf("check that %q is a model of the service, and that %s is its base URL", m.name, m.endpoint.urlVar)
	case errors.Is(e, http.ErrSchemeMismatch):
		return "begin " + m.endpoint.urlVar + " with http: the server does not speak https"
	case nobodyThere(e):
		return fmt.Sprintf("check the address in %s: no server answers there", m.endpoint.urlVar)
	case e.Kind != providers.KindAuth:
		return ""
	case m.endpoint.keyVar != "":
		return fmt.Sprintf("check %s: the service refused that key", m.endpoint.keyVar)
	case m.endpoint.signIn != "":
		return m.endpoint.signIn
	}
	return "no key was sent: set api_key_env to the name of its variable"
}

// nobodyThere reports whether no server was reached.
func nobodyThere(err error) bool {
	var dns *net.DNSError
	return errors.Is(err, syscall.ECONNREFUSED) || errors.As(err, &dns) && dns.IsNotFound
}

// ofOllama returns the hint for a server on one's own machine.
func (m hinted) ofOllama(e *providers.Error) string {
	switch {
	case e.Status == http.StatusNotFound:
		return fmt.Sprintf("to get it: ollama pull %s", m.name)
	case errors.Is(e, syscall.ECONNREFUSED):
		return fmt.Sprintf("to start the server: ollama serve; %s sets its address", m.endpoint.urlVar)
	case e.Kind == providers.KindContextLength:
		return "to make the context longer, set OLLAMA_CONTEXT_LENGTH of the server, or num_ctx: providers: {local: {api: ollama, body: {options: {num_ctx: 32768}}}}"
	}
	return ""
}
