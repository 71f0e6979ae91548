package wire

import (
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/a-seed-11b9befa/flow/providers"
)

// A listener that takes connections and says nothing on them is no service: the
// connection of TLS does not stand in time.
func TestConnectionThatNeverStands(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	transport := providers.NewTransport()
	transport.TLSHandshakeTimeout = 50 * time.Millisecond
	client := Connect(providers.Endpoint{Ref: "p/m", HTTPClient: &http.Client{Transport: transport}})
	req := newRequest(t.Context())
	req.URL.Scheme, req.URL.Host, req.Host = "https", listener.Addr().String(), ""
	_, err = client.Do(req)
	e, ok := err.(*providers.Error)
	if !ok || e.Kind != providers.KindNetwork || !e.Retryable || !strings.HasSuffix(e.Message, "no response in time") {
		t.Errorf("error %v", err)
	}
}
