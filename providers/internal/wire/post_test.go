package wire

import (
	"io"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
)

// TestPost sends a body with headers of a format, some of which the endpoint names
// itself.
func TestPost(t *testing.T) {
	var sent *http.Request
	var body []byte
	client := Connect(providers.Endpoint{
		Headers: map[string]string{"User-Agent": "mine", "X-Version": "2"},
		HTTPClient: &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			sent = r
			body, _ = io.ReadAll(r.Body)
			return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("{}"))}, nil
		})},
	})
	res, err := client.post(t.Context(), "http://h/p", map[string]string{"a": "<b>"}, http.Header{"X-Version": {"1"}, "X-Key": {"k"}})
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	for name, want := range map[string]string{"User-Agent": "mine", "X-Version": "2", "X-Key": "k", "Content-Type": "application/json"} {
		if got := sent.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if string(body) != `{"a":"<b>"}` {
		t.Errorf("sent %s", body)
	}
}

// TestPostNothing has requests that can't be made: nothing is sent, and no secret
// of the URL is told.
func TestPostNothing(t *testing.T) {
	client := Connect(providers.Endpoint{Ref: "p/m", HTTPClient: &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
		t.Error("a request was sent")
		return nil, io.EOF
	})}})
	for what, post := range map[string]struct {
		url  string
		body any
		want string
	}{
		"no JSON":    {"http://h/", math.Inf(1), "no JSON"},
		"is invalid": {"http://h/%zz?key=secret-key", 1, "the base URL is invalid"},
	} {
		_, err := client.post(t.Context(), post.url, post.body, nil)
		if providers.KindOf(err) != providers.KindConfiguration || !strings.Contains(err.Error(), post.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: error %v", what, err)
		}
	}
}

func TestCheck(t *testing.T) {
	offered := []providers.ToolSpec{{Name: "read"}}
	token := func() providers.Endpoint { return providers.Endpoint{Headers: map[string]string{"X-Token": "t"}} }
	for _, tt := range []struct {
		name     string
		at       providers.Endpoint
		req      providers.Request
		needsKey bool
		want     string // "" for none
	}{
		{"nothing asked", providers.Endpoint{}, providers.Request{}, false, ""},
		{"a forced tool", providers.Endpoint{}, providers.Request{Tools: offered, Force: "read"}, false, ""},
		{"one that is not offered", providers.Endpoint{}, providers.Request{Tools: offered, Force: "write"}, false, `forces the tool "write", which it does not offer`},
		{"one where none may be called", providers.Endpoint{}, providers.Request{Tools: offered, Force: "write", NoTools: true}, false, ""},
		{"no key", providers.Endpoint{}, providers.Request{}, true, "no API key"},
		{"a key", providers.Endpoint{APIKey: "k"}, providers.Request{}, true, ""},
		{"a header in its place", token(), providers.Request{}, true, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := Connect(tt.at).Check(tt.req, tt.needsKey)
			if (err != nil) != (tt.want != "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

func TestAt(t *testing.T) {
	for base, want := range map[string]string{
		"http://h":            "http://h/a/b",
		"http://h/":           "http://h/a/b",
		"http://h/v1//":       "http://h/v1/a/b",
		"http://h/v1?x=1&y=/": "http://h/v1/a/b?x=1&y=/",
		"http://h/v1/?x=?":    "http://h/v1/a/b?x=?",
	} {
		if got := At(base, "a/b"); got != want {
			t.Errorf("%s: %s, want %s", base, got, want)
		}
	}
}
