package host

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// TestGuardedDialsWhatIsSpelled: a name other than localhost does not lead to this
// machine, but for the caller's own proxy; an address leads to itself.
func TestGuardedDialsWhatIsSpelled(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	defer server.Close()
	namesLeadHere(t)
	at, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	here := func(host string) string { return "http://" + host + ":" + at.Port() }
	for _, test := range []struct{ url, proxy, refused string }{
		{here("127.0.0.1"), "", ""},
		{here("localhost"), "", ""},
		{here("LocalHost"), "", ""},
		{here("rebound.example"), "", `the host "rebound.example" has the address 127.0.0.1, which is not public`},
		{"http://169.254.169.254/latest", "", ", which is not public: a fetched recipe must name such an address itself"},
		{here("0.0.0.0"), "", ", which is not public: a fetched recipe must name such an address itself"},
		{"http://models.example/v1", here("proxy.example"), ""},
		{"http://models.example/v1", here("127.0.0.1"), ""},
	} {
		transport := guarded(&http.Transport{DisableKeepAlives: true, Proxy: func(*http.Request) (*url.URL, error) {
			if test.proxy == "" {
				return nil, nil
			}
			return url.Parse(test.proxy)
		}})
		answer, err := (&http.Client{Transport: transport}).Get(test.url)
		if err == nil {
			answer.Body.Close()
		}
		switch {
		case test.refused == "" && (err != nil || answer.StatusCode != http.StatusTeapot):
			t.Errorf("%s by %q: %v", test.url, test.proxy, err)
		case test.refused != "" && (err == nil || !strings.Contains(err.Error(), test.refused)):
			t.Errorf("%s by %q: %v, want that %s", test.url, test.proxy, err, test.refused)
		}
	}
}

// The providers that a workflow from elsewhere defines are guarded, and those of the caller
// are not.
func TestProvidersFromElsewhereAreGuarded(t *testing.T) {
	var asked int
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.WriteHeader(http.StatusBadRequest)
	}))
	defer server.Close()
	namesLeadHere(t)
	here := strings.Replace(server.URL, "127.0.0.1", "rebound.example", 1) + "/v1"
	w := &workflows.Workflow{File: "flow.yaml", Providers: map[string]workflows.Endpoint{"house": {API: apiChat, BaseURL: here}}}
	for _, test := range []struct {
		ref       string
		elsewhere bool
		asked     int
	}{
		{"house/small", false, 1},
		{"house/small", true, 0},
		{"openai/small", true, 1},
	} {
		asked = 0
		m, err := NewModels(with(map[string]string{"OPENAI_BASE_URL": here, "OPENAI_API_KEY": "k"})).find(test.ref, w, true, test.elsewhere)
		if err != nil {
			t.Fatal(err)
		}
		_, err = m.Stream(t.Context(), providers.Request{Messages: []providers.Message{providers.UserText("hi")}}, func(providers.Event) {})
		if asked != test.asked {
			t.Errorf("%s, elsewhere %v: %d requests, want %d: %v", test.ref, test.elsewhere, asked, test.asked, err)
		}
	}
}

// namesLeadHere has all names but those of this machine lead to 127.0.0.1.
func namesLeadHere(t *testing.T) {
	names, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		query := make([]byte, 512)
		for {
			n, from, err := names.ReadFrom(query)
			if err != nil {
				return
			}
			end := 12 // of the question, which follows the header: labels, type and class
			for end < n && query[end] != 0 {
				end += 1 + int(query[end])
			}
			end += 5
			answer := append([]byte{query[0], query[1], 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}, query[12:end]...)
			if query[end-3] == 1 { // an A record is asked for
				answer[7] = 1
				answer = append(answer, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1)
			}
			_, _ = names.WriteTo(answer, from)
		}
	}()
	usual := net.DefaultResolver
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", names.LocalAddr().String())
	}}
	t.Cleanup(func() { net.DefaultResolver = usual; names.Close() })
}
