package serve_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/sourcegraph/conc"

	"github.com/a-seed-11b9befa/flow/internal/serve"
	"github.com/a-seed-11b9befa/flow/runner/host"
)

// A tokenTransport sends a token with each request.
type tokenTransport string

func (token tokenTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(token))
	return http.DefaultTransport.RoundTrip(r)
}

const token = "a-token-of-the-tests"

// connectHTTP serves by HTTP, and returns the URL, and what ends the server.
func connectHTTP(t *testing.T) (url string, end func()) {
	t.Helper()
	s, found := serve.New(serve.Options{Paths: []string{"."}, Run: host.Options{Grace: 10 * time.Second, Warn: func(message string) { t.Log(message) }}})
	if s == nil {
		t.Fatal(found)
	}
	listener, err := serve.Listen(t.Context(), "127.0.0.1:0", true)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var serving conc.WaitGroup
	serving.Go(func() {
		if err := s.HTTP(ctx, listener, token); !errors.Is(err, context.Canceled) {
			t.Errorf("the server ends with %v", err)
		}
	})
	end = func() { cancel(); serving.Wait() }
	t.Cleanup(end)
	return "http://" + listener.Addr().String() + "/mcp", end
}

func TestHTTP(t *testing.T) {
	folder(t)
	url, end := connectHTTP(t)
	for _, wrong := range []string{"", "another-token-of-the-tests"} {
		client := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil)
		if _, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: tokenTransport(wrong)}}, nil); err == nil {
			t.Errorf("the token %q is let in", wrong)
		}
	}
	var asked string
	client := sdk.NewClient(&sdk.Implementation{Name: "test"}, &sdk.ClientOptions{
		ElicitationHandler: func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			asked = r.Params.Message
			return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"allow": true}}, nil
		},
	})
	session, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: tokenTransport(token)}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &connection{ClientSession: session}
	if text := textOf(c.call(t, "greet", map[string]any{"who": "you"})); !strings.Contains(text, "Hello you") {
		t.Errorf("got %q", text)
	}
	if result := c.call(t, "asks_it", nil); result.IsError || asked == "" {
		t.Errorf("asked %q: %q", asked, textOf(result))
	}
	ctx, cancel := context.WithCancel(t.Context())
	var caller conc.WaitGroup
	caller.Go(func() { _, _ = c.CallTool(ctx, &sdk.CallToolParams{Name: "waits"}) })
	appears(t, "begun")
	cancel()
	caller.Wait()
	appears(t, "over")
	if err := session.Close(); err != nil {
		t.Error(err)
	}
	end()
}

// TestHTTPGone: a request that is broken off ends the run of its call.
func TestHTTPGone(t *testing.T) {
	folder(t)
	url, _ := connectHTTP(t)
	post := func(ctx context.Context, session, body string) (*http.Response, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
		if err != nil {
			return nil, err
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if session != "" {
			r.Header.Set("Mcp-Session-Id", session)
		}
		return (&http.Client{Transport: tokenTransport(token)}).Do(r)
	}
	hello, err := post(t.Context(), "", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
	if err != nil {
		t.Fatal(err)
	}
	session := hello.Header.Get("Mcp-Session-Id")
	hello.Body.Close()
	ready, err := post(t.Context(), session, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	if err != nil {
		t.Fatal(err)
	}
	ready.Body.Close()
	ctx, cancel := context.WithCancel(t.Context())
	var caller conc.WaitGroup
	caller.Go(func() {
		if answer, err := post(ctx, session, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"waits","arguments":{}}}`); err == nil {
			_, _ = io.Copy(io.Discard, answer.Body)
			answer.Body.Close()
		}
	})
	appears(t, "begun")
	cancel()
	caller.Wait()
	appears(t, "over")
}

func TestListen(t *testing.T) {
	for address, want := range map[string]string{
		":0": "not on the loopback", "0.0.0.0:0": "not on the loopback", "192.168.1.1:0": "not on the loopback", "example.org:80": "not on the loopback",
		"7777": "host:port", "127.0.0.1:0": "", "localhost:0": "", "[::1]x": "host:port",
	} {
		listener, err := serve.Listen(t.Context(), address, true)
		if err == nil {
			listener.Close()
		}
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", address, err, want)
		}
	}
}
