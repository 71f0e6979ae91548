package mcp

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	maxStream    = 64 << 20 // bytes of a response that is a stream
	connectTime  = 30 * time.Second
	idleTime     = 90 * time.Second
	maxIdle      = 10 // connections
	maxRetries   = 2
	maxRedirects = 5
)

// httpTransport returns the transport for a URL. release closes its idle connections. It does
// not listen for notifications, as some servers never answer that: the list of tools is
// requested again from time to time in place of it.
func (s *Server) httpTransport() (t sdk.Transport, release func()) {
	client := &http.Client{
		Transport:     &bounded{headers: s.o.Headers, inner: s.newTransport()},
		CheckRedirect: sameOrigin,
	}
	return &sdk.StreamableClientTransport{
		Endpoint: s.o.URL, HTTPClient: client, MaxRetries: maxRetries, MaxEventSize: maxMessage, DisableStandaloneSSE: true,
	}, client.CloseIdleConnections
}

// newTransport returns a new transport, independent of http.DefaultTransport, which a
// program may have changed.
func (s *Server) newTransport() *http.Transport {
	dialer := net.Dialer{Timeout: connectTime}
	t := &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            dialer.DialContext,
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           maxIdle,
		IdleConnTimeout:        idleTime,
		TLSHandshakeTimeout:    connectTime,
		MaxResponseHeaderBytes: 256 << 10,
	}
	if s.o.Transport != nil {
		t = s.o.Transport(t)
	}
	return t
}

// sameOrigin refuses redirects to another server, to which the headers must not go: they may
// hold a key.
func sameOrigin(r *http.Request, via []*http.Request) error {
	first := via[0].URL
	if len(via) > maxRedirects {
		return fmt.Errorf("more than %d redirects", maxRedirects)
	}
	if r.URL.Scheme != first.Scheme || !strings.EqualFold(r.URL.Host, first.Host) {
		return fmt.Errorf("it redirects to %s://%s, which is another server: that is not followed", r.URL.Scheme, r.URL.Host)
	}
	return nil
}

// bounded adds the headers of a server to each request, and limits the responses, which the
// SDK reads whole.
type bounded struct {
	headers map[string]string
	inner   *http.Transport
}

// RoundTrip sends a request.
func (b *bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, value := range b.headers {
		r.Header.Set(name, value)
	}
	response, err := b.inner.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	most := int64(maxMessage)
	if strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") {
		most = maxStream
	}
	response.Body = &cut{body: response.Body, left: most, most: most}
	return response, nil
}

// CloseIdleConnections is called when the session ends.
func (b *bounded) CloseIdleConnections() { b.inner.CloseIdleConnections() }

// cut is a body whose reading fails when it is too long.
type cut struct {
	body       io.ReadCloser
	left, most int64
}

// Read returns an error after the limit.
func (c *cut) Read(p []byte) (int, error) {
	if c.left < 0 {
		return 0, fmt.Errorf("it sent more than %d MiB", c.most>>20)
	}
	n, err := c.body.Read(p[:min(int64(len(p)), c.left+1)])
	c.left -= int64(n)
	return n, err
}

// Close closes the body.
func (c *cut) Close() error { return c.body.Close() }
