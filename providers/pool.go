package providers

import (
	"net"
	"net/http"
	"time"
)

// The numbers of idle connections that are kept: as many as a run may use at once, so that
// none has to be made again for the next turn.
const (
	mostIdle        = 512
	mostIdlePerHost = 256
)

// NewTransport returns a transport for models, with HTTP/2 where a service has it. Models
// share its connections if their [Endpoint]s have a client with the same transport. connect
// is the timeout of connecting.
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

// DefaultConnectTimeout is the timeout of an [Endpoint] that has none.
const DefaultConnectTimeout = 30 * time.Second
