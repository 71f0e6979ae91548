package providertest

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/providers"
)

// A Transport answers every request with one stream, without a network, and
// keeps the last request.
type Transport struct {
	ContentType string // text/event-stream when empty
	Stream      string

	Request *http.Request
	Body    []byte
}

// RoundTrip answers.
func (f *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	f.Request, f.Body = r, body
	contentType := f.ContentType
	if contentType == "" {
		contentType = "text/event-stream"
	}
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {contentType}},
		Body: io.NopCloser(strings.NewReader(f.Stream)),
	}, err
}

// Sent returns the body, as a value, of the request that a model on this
// transport makes for req. One without messages gets the message "Hi".
func (f *Transport) Sent(t *testing.T, model providers.Model, req providers.Request) map[string]any {
	t.Helper()
	if len(req.Messages) == 0 {
		req.Messages = []providers.Message{providers.UserText("Hi")}
	}
	if _, err := model.Stream(context.Background(), req, nil); err != nil {
		t.Fatal(err)
	}
	var value map[string]any
	if err := json.Unmarshal(f.Body, &value); err != nil {
		t.Fatal(err)
	}
	return value
}

// Accepted has a model on this transport make a request, which a service of the
// dialect must take.
func (f *Transport) Accepted(t *testing.T, dialect Dialect, model providers.Model, req providers.Request) {
	t.Helper()
	if _, err := model.Stream(context.Background(), req, nil); err != nil {
		t.Fatal(err)
	}
	asked, err := dialect.Read(f.Body)
	if err == nil {
		err = CheckPairs(asked.Messages)
	}
	if err != nil {
		t.Errorf("refused: %v in %s", err, f.Body)
	}
}

// WantFields compares some fields of a request with those of a JSON object;
// null stands for one that must not be there.
func WantFields(t *testing.T, got map[string]any, want string) {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal([]byte(want), &fields); err != nil {
		t.Fatal(err)
	}
	for name, value := range fields {
		if diff := cmp.Diff(value, got[name]); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
