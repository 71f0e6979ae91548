package providers

import (
	"net"
	"net/http"
	"time"
)

// The numbers of idle connections that are kept: as many as a run may use at once, so that
// none has to be made again for the next turn.
const (
	maxIdle        = 512
	maxIdlePerHost = 256
)

// NewTransport returns a transport for models, with HTTP/2 where a service has it. Models
// share its connections if their [Endpoint]s have a client with the same transport.
func NewTransport() *http.Transport {
	const connect = 30 * time.Second
	dialer := &net.Dialer{Timeout: connect, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         dialer.DialContext,
		ForceAttemptHTTP2:   true,
		MaxIdleConns:        maxIdle,
		MaxIdleConnsPerHost: maxIdlePerHost,
		IdleConnTimeout:     90 * time.Second,
		TLSHandshakeTimeout: connect,
	}
}
