package wire

import (
	"bytes"
	"io"
	"net/http"
)

// A framed is a body that is converted to server-sent events of one form, within the limits
// of an answer.
type framed struct {
	io.Closer
	events *eventStream
	plain  func(Event) ([]byte, error)
	frame  []byte
	rest   []byte // the part of frame that is not yet read
	err    error
}

// Framed returns the body of res, a stream, JSON lines or a document, as server-sent events
// with the data that plain returns for each. An error of plain ends the body. Closing it
// closes that of res.
func Framed(res *http.Response, plain func(Event) ([]byte, error)) io.ReadCloser {
	return &framed{Closer: res.Body, events: newEventStream(res), plain: plain}
}

// Read reads from the next event once the one before it has been read.
func (f *framed) Read(p []byte) (int, error) {
	for len(f.rest) == 0 {
		if f.err == nil {
			f.next()
		}
		if f.err != nil {
			return 0, f.err
		}
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

func (f *framed) next() {
	event, err := f.events.next()
	if err != nil {
		f.err = err
		return
	}
	data, err := f.plain(event)
	if err != nil {
		f.err = err
		return
	}
	f.frame = append(f.frame[:0], "data: "...)
	f.frame = append(f.frame, bytes.ReplaceAll(data, []byte("\n"), []byte("\ndata: "))...)
	f.frame = append(f.frame, "\n\n"...)
	f.rest = f.frame
}
