package providers

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// An Endpoint is a model at a service: which one, where, and who asks. It is
// the same for every wire format; the packages below add what is particular to
// theirs. However it is printed, none of its secrets are.
type Endpoint struct {
	Ref      string // the model as a workflow names it
	Provider string // the name of the service; the wire format's own when empty
	Model    string // the model as the service names it

	BaseURL string            // what the format's paths are appended to; the vendor's when empty. Its query goes with every request
	APIKey  string            // sent as the format sends keys; none is sent when empty
	Headers map[string]string // of every request

	// Token returns the credential of one request, sent as a bearer token, for
	// services whose keys expire. It is called for each request, at the same
	// time for several. Its error is told as [KindAuth].
	Token func(ctx context.Context) (string, error)

	// Body changes the JSON of every request, as a merge patch (RFC 7386):
	// fields are added, replaced, or left out where they are null. For what a
	// service has beyond its format, and for what it does not take.
	Body json.RawMessage

	// HTTPClient makes the connections; nil stands for one of the model's own.
	HTTPClient *http.Client

	ConnectTimeout   time.Duration // until the connection stands (of the model's own client only); 30 s when zero
	FirstByteTimeout time.Duration // from sending to the first byte; 3 min when zero
	IdleTimeout      time.Duration // between two bytes; 2 min when zero, and 10 min between two events
}

// Format prints the reference of the model, for every verb and flag: a key, a
// header and the query of a URL are nobody's to print by accident. What embeds an
// Endpoint is printed likewise.
func (e Endpoint) Format(f fmt.State, _ rune) {
	name := e.Ref
	if name == "" {
		name = e.Provider + "/" + e.Model
	}
	io.WriteString(f, name)
}
