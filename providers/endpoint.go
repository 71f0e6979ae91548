package providers

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// An Endpoint is a model at a service, with its address and credentials. It is the same
// for every wire format; the packages below add what is particular to theirs. Printing it
// shows none of its secrets.
type Endpoint struct {
	Ref      string // the model as a workflow names it
	Provider string // the name of the service; that of the wire format when empty
	Model    string // the model as the service names it

	BaseURL string            // the format's paths are appended to it; the vendor's when empty. Its query is sent with every request
	APIKey  string            // sent as the format sends keys; not sent when empty
	Headers map[string]string // of every request

	// Token returns the bearer token of one request, for services whose credentials
	// expire. It is called for each request, and may be called concurrently. An error
	// becomes one of [KindAuth].
	Token func(ctx context.Context) (string, error)

	// Body changes the JSON of every request, as a merge patch (RFC 7386): fields are
	// added, replaced, or removed where they are null. It is for services that differ from
	// their format.
	Body json.RawMessage

	// HTTPClient makes the connections; nil: the model has its own.
	HTTPClient *http.Client

	FirstByteTimeout time.Duration // from sending to the first byte; 3 min when zero
	IdleTimeout      time.Duration // between two bytes; 2 min when zero, and 10 min between two events
}

// Format prints the reference of the model, for every verb and flag, so that a key, a
// header or the query of a URL is never printed by accident. A type that embeds an Endpoint
// is printed likewise.
func (e Endpoint) Format(f fmt.State, _ rune) {
	name := e.Ref
	if name == "" {
		name = e.Provider + "/" + e.Model
	}
	io.WriteString(f, name)
}
