package host

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"syscall"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/kept"
	"github.com/a-seed-11b9befa/flow/steps"
)

// A hinted model adds to a refusal what its user can do about it. Only this package knows where
// the key and the address came from.
type hinted struct {
	providers.Model
	api      string // the wire format
	name     string // the model's name at its service
	keyVar   string // the variable that the key came from; "" without a key
	urlVar   string // the variable that holds the base URL
	signIn   string // the source of credentials, if a token is sent in place of a key
	window   int64  // in tokens; 0 if it is not known
	endpoint kept.EndpointDigest
}

// Keep implements [runner.Keeper].
func (m hinted) Keep(work *kept.Conversation) providers.Model { return work.Keep(m, m.endpoint) }

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
	case m.api == apiOllama:
		return m.ofOllama(e)
	case e.Status == http.StatusNotFound:
		return fmt.Sprintf("check that %q is a model of the service, and that %s is its base URL", m.name, m.urlVar)
	case errors.Is(e, http.ErrSchemeMismatch):
		return m.urlVar + " begins with https, but the server speaks http"
	case nobodyThere(e):
		return fmt.Sprintf("no server answers at this address; %s sets it", m.urlVar)
	case e.Kind != providers.KindAuth:
		return ""
	case m.keyVar != "":
		return "the key came from " + m.keyVar
	case m.signIn != "":
		return m.signIn
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
		return fmt.Sprintf("to start the server: ollama serve; %s sets its address", m.urlVar)
	case e.Kind == providers.KindContextLength:
		return "to make the context longer, set OLLAMA_CONTEXT_LENGTH of the server, or num_ctx: providers: {local: {api: ollama, body: {options: {num_ctx: 32768}}}}"
	}
	return ""
}
