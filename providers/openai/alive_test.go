package openai

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a-seed-11b9befa/flow/providers"
)

// keptAlive is a body of comments, one every 15 seconds.
type keptAlive struct{ ctx context.Context }

// Read waits for the next comment.
func (k keptAlive) Read(p []byte) (int, error) {
	select {
	case <-k.ctx.Done():
		return 0, k.ctx.Err()
	case <-time.After(15 * time.Second):
		return copy(p, ": keep-alive\n\n"), nil
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

// RoundTrip answers without a network.
func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A dead service behind a proxy that sends comments is given up.
func TestKeptAliveForNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := roundTrip(func(r *http.Request) (*http.Response, error) {
			return &http.Response{
				StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}},
				Body: io.NopCloser(keptAlive{r.Context()}), Request: r,
			}, nil
		})
		m := New(Options{Endpoint: providers.Endpoint{Ref: "p/m", Model: "m", APIKey: "k", HTTPClient: &http.Client{Transport: transport}}})
		start := time.Now()
		_, err := m.Stream(t.Context(), providers.Request{Messages: []providers.Message{providers.UserText("hi")}}, nil)
		if err == nil || !strings.Contains(err.Error(), "no complete event for 10m") {
			t.Errorf("error %v", err)
		}
		if took := time.Since(start); took > 11*time.Minute {
			t.Errorf("given up after %v", took)
		}
	})
}
