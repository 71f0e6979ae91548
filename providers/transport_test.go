package providers

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"
)

// get makes a real request, and returns what the transport says.
func get(t *testing.T, ctx context.Context, client *http.Client, address string) error {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	if client == badKey {
		req.Header.Set("Authorization", "Bearer 0123456789abcdef\nX")
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	_, err = io.ReadAll(resp.Body)
	return err
}

// badKey makes requests that have a key with a line break.
var badKey = &http.Client{}

func TestErrorFromTransport(t *testing.T) {
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0) // its handshakes fail
	secure.StartTLS()
	t.Cleanup(secure.Close)
	open := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(open.Close)
	breaking := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "half")
	}))
	t.Cleanup(breaking.Close)
	hanging := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(hanging.Close)
	impatient := &http.Client{Timeout: 50 * time.Millisecond}

	host := func(address string) string { u, _ := url.Parse(address); return u.Host }
	tests := []struct {
		name    string
		client  *http.Client
		address string
		kind    Kind
		text    string
	}{
		{"connection refused", http.DefaultClient, closed.URL, KindNetwork, host(closed.URL) + ": connection refused"},
		{"broken off", http.DefaultClient, breaking.URL, KindNetwork, "the connection was closed in the middle of the response"},
		{"no answer", impatient, hanging.URL, KindNetwork, host(hanging.URL) + ": no response in time"},
		{"unknown certificate", http.DefaultClient, secure.URL, KindConfiguration, "certificate"},
		{"https to a server without", http.DefaultClient, strings.Replace(open.URL, "http:", "https:", 1), KindConfiguration, "HTTP response to HTTPS client"},
		{"scheme", http.DefaultClient, "ftp://example.invalid/?key=0123456789abcdef", KindConfiguration, "unsupported protocol scheme"},
		{"no host", http.DefaultClient, "http:///v1", KindConfiguration, "no Host in request URL"},
		{"is invalid", http.DefaultClient, "http://%zz?key=0123456789abcdef", KindConfiguration, "the base URL is invalid"},
		{"key of two lines", badKey, open.URL, KindConfiguration, "a header is invalid; check the key for a line break:"},
		{"key in the URL", http.DefaultClient, closed.URL + "/v1?key=0123456789abcdef", KindNetwork, "connection refused"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := ErrorFromTransport("a/b", get(t, t.Context(), tt.client, tt.address))
			if e.Kind != tt.kind || e.Retryable != (tt.kind == KindNetwork) || e.Model != "a/b" {
				t.Errorf("got %s, retryable %v, of %q: %v", e.Kind, e.Retryable, e.Model, e)
			}
			if !strings.Contains(e.Error(), tt.text) {
				t.Errorf("got %q, want %q in it", e, tt.text)
			}
			for err := error(e); err != nil; err = errors.Unwrap(err) {
				if strings.Contains(err.Error(), "0123456789abcdef") {
					t.Errorf("the key is in %q", err)
				}
			}
		})
	}
}

func TestErrorFromTransportByType(t *testing.T) {
	known := &Error{Kind: KindAuth}
	tests := []struct {
		name string
		err  error
		kind Kind
		text string
	}{
		{"dns", &net.DNSError{Err: "no such host", Name: "api.example.invalid", IsNotFound: true}, KindNetwork, `no such host "api.example.invalid"`},
		{"reset", &net.OpError{Op: "read", Err: syscall.ECONNRESET}, KindNetwork, "connection reset"},
		{"cancelled", context.Canceled, KindCancelled, "cancelled"},
		{"end", io.EOF, KindNetwork, "connection was closed"},
		{"deadline", context.DeadlineExceeded, KindNetwork, "no response in time"},
		{"a dial that says its host", &url.Error{Op: "Post", URL: "http://h:1/", Err: errors.New("dial h:1: broken")}, KindNetwork, "a/b: dial h:1: broken"},
		{"anything", errors.New("http2: stream closed, Bearer abcdefghijkl"), KindNetwork, "a/b: http2: stream closed, [key]"},
	}
	for _, tt := range tests {
		e := ErrorFromTransport("a/b", tt.err)
		if e.Kind != tt.kind || !strings.Contains(e.Error(), tt.text) || e.Retryable != (tt.kind == KindNetwork) {
			t.Errorf("%s: got %s, %v: %v", tt.name, e.Kind, e.Retryable, e)
		}
	}
	if got := ErrorFromTransport("a/b", errors.Join(errors.New("x"), known)); got != known {
		t.Errorf("got %v for an error that is known already", got)
	}
}

func TestCancelledKeepsTheCause(t *testing.T) {
	stop := errors.New("budget: 2.00 USD used up")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	err := Cancelled(ctx, "a/b")
	if wantKind(t, err, KindCancelled); !errors.Is(err, stop) || err.Error() != "a/b: budget: 2.00 USD used up" {
		t.Errorf("got %v", err)
	}
}

func TestKindOf(t *testing.T) {
	tests := []struct {
		err  error
		want Kind
	}{
		{&Error{Kind: KindNetwork}, KindNetwork},
		{errors.Join(errors.New("step"), &Error{Kind: KindAuth}), KindAuth},
		{context.Canceled, KindCancelled},
		{context.DeadlineExceeded, KindCancelled},
		{errors.New("x"), KindProvider},
	}
	for _, tt := range tests {
		if got := KindOf(tt.err); got != tt.want {
			t.Errorf("%v is %s, want %s", tt.err, got, tt.want)
		}
	}
}
