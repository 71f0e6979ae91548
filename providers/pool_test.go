package providers

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/sourcegraph/conc"
)

// TestTransportKeepsConnections asks many times at once, and again: no connection
// is made anew.
func TestTransportKeepsConnections(t *testing.T) {
	const many = 64
	var made atomic.Int64
	var together *sync.WaitGroup
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		together.Done()
		together.Wait()
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			made.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	transport := NewTransport()
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	for range 3 {
		together = new(sync.WaitGroup)
		together.Add(many)
		var requests conc.WaitGroup
		for range many {
			requests.Go(func() {
				res, err := client.Get(server.URL)
				if err != nil {
					t.Error(err)
					return
				}
				defer res.Body.Close()
				if _, err := io.Copy(io.Discard, res.Body); err != nil {
					t.Error(err)
				}
			})
		}
		requests.Wait()
	}
	if got := made.Load(); got > many {
		t.Errorf("%d connections for %d requests at once", got, many)
	}
}
