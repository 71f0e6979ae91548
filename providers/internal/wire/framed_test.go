package wire

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
)

// TestFramed reads what services send in place of plain events.
func TestFramed(t *testing.T) {
	errStop := errors.New("stop")
	plain := func(e Event) ([]byte, error) {
		if string(e.Data) == "stop" {
			return nil, errStop
		}
		if e.Cut {
			return append([]byte("cut "), e.Data...), nil
		}
		return e.Data, nil
	}
	for _, c := range []struct {
		name, media, body, want string
		err                     error
	}{
		{"events", "text/event-stream", "event: a\r\ndata: 1\r\n\r\n: comment\n\ndata: 2\ndata: 3\n\n", "data: 1\n\ndata: 2\ndata: 3\n\n", nil},
		{"the last without its blank line", "text/event-stream", "data: 1\n\ndata: 2", "data: 1\n\ndata: cut 2\n\n", nil},
		{"a document", "application/json", "{\n}", "data: cut {\ndata: }\n\n", nil},
		{"lines", "application/x-ndjson", "{}\n[]\n", "data: {}\n\ndata: []\n\n", nil},
		{"nothing", "text/event-stream", "", "", nil},
		{"an event that is refused", "text/event-stream", "data: 1\n\ndata: stop\n\ndata: 2\n\n", "data: 1\n\n", errStop},
		{"a line that never ends", "text/event-stream", "data: 1\n\ndata: " + strings.Repeat("x", maxEvent+1), "data: 1\n\n", errTooMuch},
	} {
		t.Run(c.name, func(t *testing.T) {
			closed := &closable{Reader: strings.NewReader(c.body)}
			body := Framed(&http.Response{Header: http.Header{"Content-Type": {c.media}}, Body: closed}, plain)
			got, err := io.ReadAll(iotest.OneByteReader(body))
			if string(got) != c.want || !errors.Is(err, c.err) {
				t.Errorf("%q, %v; want %q, %v", got, err, c.want, c.err)
			}
			if _, again := body.Read(make([]byte, 1)); again == nil {
				t.Error("there is more after the end")
			}
			if body.Close(); !closed.done {
				t.Error("the service's body stays open")
			}
		})
	}
}

type closable struct {
	io.Reader
	done bool
}

func (c *closable) Close() error {
	c.done = true
	return nil
}
