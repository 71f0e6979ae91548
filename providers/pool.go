package providers

import (
	"net"
	"net/http"
	"time"
)

// The connections that are kept while nobody asks: as many as a run may ask with
// at once, so that none is made anew for the next turn.
const (
	mostIdle        = 512
	mostIdlePerHost = 256
)

// NewTransport returns what makes connections for models, by HTTP/2 where a
// service has it. It keeps those of each host: models that are asked with the same
// one share them, where an [Endpoint]'s client has it. Connect bounds the wait until
// a connection stands.
func NewTransport(connect time.Duration) *http.Transport {
	dialer := &net.Dialer{Timeout: connect, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         dialer.DialContext,
		ForceAttemptHTTP2:   true,
		MaxIdleConns:        mostIdle,
		MaxIdleConnsPerHost: mostIdlePerHost,
		IdleConnTimeout:     90 * time.Second,
		TLSHandshakeTimeout: connect,
	}
}

// DefaultConnectTimeout is the timeout of an [Endpoint] that names none.
const DefaultConnectTimeout = 30 * time.Second
