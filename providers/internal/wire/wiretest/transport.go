package wiretest

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

// Stream is the type of a stream of events.
const Stream = "text/event-stream"

// A Transport answers every request in the same way, without a network, and keeps the last
// one.
type Transport struct {
	Request *http.Request
	Body    []byte // of the request

	contentType string
	answer      string
}

// Answering returns a transport whose answer has a type and a body.
func Answering(contentType, answer string) *Transport {
	return &Transport{contentType: contentType, answer: answer}
}

// RoundTrip answers.
func (f *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	f.Request, f.Body = r, body
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {f.contentType}},
		Body: io.NopCloser(strings.NewReader(f.answer)),
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
