package wire

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a-seed-11b9befa/flow/providers"
)

// A dripping body gives the pieces of a text, one after each wait, and the last
// of them for ever.
type dripping struct {
	ctx    context.Context
	wait   time.Duration
	pieces []string
}

// Read waits, and gives one piece.
func (d *dripping) Read(p []byte) (int, error) {
	if err := sleep(d.ctx, d.wait); err != nil {
		return 0, err
	}
	piece := d.pieces[0]
	if len(d.pieces) > 1 {
		d.pieces = d.pieces[1:]
	}
	return copy(p, piece), nil
}

// Comments and crumbs keep a stream alive for a while, but not for ever.
func TestSignsOfLifeAreNoEvents(t *testing.T) {
	event := "data: {}\n\n"
	late := append(slices.Repeat([]string{": keep-alive\n\n"}, 18), event)
	tests := []struct {
		name   string
		pieces []string
		events int
		took   time.Duration
	}{
		{"comments", []string{event, ": keep-alive\n\n"}, 1, 10*time.Minute + 30*time.Second},
		{"blank lines", []string{event, "\n"}, 1, 10*time.Minute + 30*time.Second},
		{"crumbs of a line", []string{event, "x"}, 1, 10*time.Minute + 30*time.Second},
		{"comments from the beginning", []string{": keep-alive\n\n"}, 0, 10*time.Minute + 30*time.Second},
		{"an event in between", append([]string{event}, append(late, ": keep-alive\n\n")...), 2, 20 * time.Minute},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				transport := roundTrip(func(r *http.Request) (*http.Response, error) {
					body := &dripping{ctx: r.Context(), wait: 30 * time.Second, pieces: test.pieces}
					return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(body)}, nil
				})
				client := Connect(providers.Endpoint{Ref: "p/m", HTTPClient: &http.Client{Transport: transport}})
				start := time.Now()
				res, err := client.Do(request(t.Context(), t))
				if err != nil {
					t.Fatal(err)
				}
				defer res.Body.Close()
				events, n := newEventStream(res), 0
				for ; err == nil; n++ {
					_, err = events.next()
				}
				var told *providers.Error
				if err = client.Broken(t.Context(), err); !errors.As(err, &told) || told.Kind != providers.KindNetwork || !told.Retryable || !strings.Contains(told.Message, "no complete event for 10m") {
					t.Errorf("error %v", err)
				}
				if took := time.Since(start); n-1 != test.events || took != test.took {
					t.Errorf("%d events in %v, want %d in %v", n-1, took, test.events, test.took)
				}
			})
		})
	}
}
