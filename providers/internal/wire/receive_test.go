package wire

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
)

// A fakeReader takes each event for a word of a text, "call" for a call without an
// id, "end" for the end, and "bad" for nonsense.
type fakeReader struct {
	client *Client
	answer *Answer
	text   *Part
	ended  bool
}

func (r *fakeReader) Add(event Event) error {
	switch word := string(event.Data); word {
	case "end":
		r.ended = true
		return io.EOF
	case "bad":
		return r.client.Nonsense("a bad word")
	case "call":
		r.answer.Start(providers.Block{Type: providers.BlockToolCall, Name: "f"})
	default:
		r.answer.AppendTo(&r.text, providers.BlockText, word)
	}
	return nil
}

func (r *fakeReader) AtEnd(bool) error {
	if !r.ended {
		return r.client.Cut()
	}
	return nil
}

func (r *fakeReader) Ending() (providers.Finish, providers.Usage) {
	return providers.FinishStop, providers.Usage{OutputTokens: 7}
}

// TestReceive has streams that end well, early, in nonsense, and with their
// connection.
func TestReceive(t *testing.T) {
	broken := errors.New("broken off")
	for _, tt := range []struct {
		name   string
		words  string
		err    error // of the body
		text   string
		finish providers.Finish
		told   string // "" for no error
	}{
		{"whole", "a b end", nil, "ab", providers.FinishStop, ""},
		{"more after the end", "a end b bad", nil, "a", providers.FinishStop, ""},
		{"cut", "a b", nil, "ab", providers.FinishError, "was cut off"},
		{"nonsense", "a bad b end", nil, "a", providers.FinishError, "a bad word"},
		{"broken", "a b", broken, "ab", providers.FinishError, "broken off"},
		{"nothing", "", nil, "", providers.FinishError, "was cut off"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var body strings.Builder
			for word := range strings.FieldsSeq(tt.words) {
				fmt.Fprintf(&body, "data: %s\n\n", word)
			}
			stream := io.Reader(strings.NewReader(body.String()))
			if tt.err != nil {
				stream = io.MultiReader(stream, errorReader{tt.err})
			}
			client := Connect(providers.Endpoint{Ref: "p/m", Provider: "p"})
			reader := &fakeReader{client: client, answer: NewAnswer(nil)}
			closed := &closing{Reader: stream}
			message, err := client.Receive(t.Context(), &http.Response{Body: closed}, reader.answer, reader)
			if !closed.closed {
				t.Error("the body is open")
			}
			if (err != nil) != (tt.told != "") || err != nil && !strings.Contains(err.Error(), tt.told) {
				t.Errorf("error %v, want %q", err, tt.told)
			}
			if message.Text() != tt.text || message.Finish != tt.finish || message.Usage.OutputTokens != 7 || message.Provider != "p" || message.Model != "p/m" {
				t.Errorf("message %+v", message)
			}
		})
	}
}

// TestReceiveCalls: calls without ids get some, no two of which are the same.
func TestReceiveCalls(t *testing.T) {
	client := Connect(providers.Endpoint{})
	reader := &fakeReader{client: client, answer: NewAnswer(nil)}
	if reader.answer.Called() {
		t.Error("a call before any event")
	}
	body := io.NopCloser(strings.NewReader("data: call\n\ndata: call\n\ndata: end\n\n"))
	message, err := client.Receive(t.Context(), &http.Response{Body: body}, reader.answer, reader)
	calls := message.Calls()
	if err != nil || len(calls) != 2 || calls[0].ID == "" || calls[0].ID == calls[1].ID || !reader.answer.Called() {
		t.Errorf("calls %+v, error %v", calls, err)
	}
	if reader.answer.ReserveID(calls[0].ID) || reader.answer.ReserveID("") || !reader.answer.ReserveID("another") {
		t.Error("an id was taken twice, or not at all")
	}
}

type errorReader struct{ err error }

func (r errorReader) Read([]byte) (int, error) { return 0, r.err }

type closing struct {
	io.Reader
	closed bool
}

func (c *closing) Close() error {
	c.closed = true
	return nil
}
