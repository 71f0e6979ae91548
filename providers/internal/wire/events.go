package wire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
)

// The limits of one event and of a whole stream, in bytes. The longest answers (128,000
// tokens, each in an event of some 300 bytes) are well below.
const (
	maxEvent  = 16 << 20
	maxAnswer = 64 << 20
)

// errTooMuch is the error for an answer beyond the limits.
var errTooMuch = errors.New("the response is too long")

// An Event is one message of a stream.
type Event struct {
	Name string
	Data []byte // valid until the next event is read

	// Bare is for JSON that is not in an event: a whole answer, or an error, instead of a
	// stream.
	Bare bool

	// Cut says that the stream ended before the event did. It may be complete all the
	// same: some services omit the last blank line.
	Cut bool
}

// An eventStream parses server-sent events as services send them: with LF and CRLF,
// comments, events of several lines, a last one without its blank line, and bare JSON. A
// body of the type JSON is one bare event; of JSON lines (NDJSON) each line is.
type eventStream struct {
	body  *bufio.Reader
	watch *watch // nil for a body that is not from a [Client]
	whole bool
	lines bool
	read  int
	line  []byte
	event Event
	done  bool
}

// newEventStream returns a parser for the body of res, which the caller closes.
func newEventStream(res *http.Response) *eventStream {
	media := mediaOf(res.Header)
	e := &eventStream{
		body:  bufio.NewReader(res.Body),
		whole: media == "application/json" || strings.HasSuffix(media, "+json"),
		lines: media == "application/x-ndjson" || media == "application/jsonl",
	}
	if watched, ok := res.Body.(*watchedBody); ok {
		e.watch = watched.watch
	}
	return e
}

// next returns the next event, [io.EOF] after the last one, or the error of the
// body.
func (e *eventStream) next() (Event, error) {
	if e.done {
		return Event{}, io.EOF
	}
	e.event = Event{Data: e.event.Data[:0]}
	if e.whole {
		return e.readWhole()
	}
	for {
		line, err := e.readLine()
		if err != nil {
			return e.last(line, err)
		}
		if len(line) > 0 {
			e.add(line)
		}
		switch complete := len(line) == 0 || e.lines; {
		case complete && len(e.event.Data) > 0:
			if e.watch != nil {
				e.watch.heard()
			}
			return e.event, nil
		case complete:
			e.event.Name = ""
		}
	}
}

// last returns the event that the end of the stream left unfinished, or err.
func (e *eventStream) last(line []byte, err error) (Event, error) {
	e.done = true
	if err != io.EOF {
		return Event{}, err
	}
	if len(line) > 0 {
		e.add(line)
	}
	if len(e.event.Data) == 0 {
		return Event{}, io.EOF
	}
	e.event.Cut = true
	return e.event, nil
}

func (e *eventStream) readWhole() (Event, error) {
	e.done = true
	data, err := io.ReadAll(io.LimitReader(e.body, maxEvent+1))
	switch {
	case err != nil:
		return Event{}, err
	case len(data) > maxEvent:
		return Event{}, tooMuch()
	case len(bytes.TrimSpace(data)) == 0:
		return Event{}, io.EOF
	}
	return Event{Data: data, Bare: true, Cut: true}, nil
}

// readLine returns the next line without its end. At the end of the body it returns the
// rest with io.EOF.
func (e *eventStream) readLine() ([]byte, error) {
	e.line = e.line[:0]
	for {
		part, err := e.body.ReadSlice('\n')
		e.read += len(part)
		if e.read > maxAnswer || len(e.event.Data)+len(e.line)+len(part) > maxEvent {
			return nil, tooMuch()
		}
		if err == nil && len(e.line) == 0 {
			return trimEnd(part), nil
		}
		e.line = append(e.line, part...)
		if err != bufio.ErrBufferFull {
			return trimEnd(e.line), err
		}
	}
}

func tooMuch() error {
	return fmt.Errorf("%w: more than %d MiB in one event, or more than %d MiB in all", errTooMuch, maxEvent>>20, maxAnswer>>20)
}

func trimEnd(line []byte) []byte {
	line = bytes.TrimSuffix(line, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r"))
}

// add adds a line that is not blank to the event.
func (e *eventStream) add(line []byte) {
	line = bytes.TrimPrefix(line, []byte("\ufeff"))
	if e.lines || e.event.Bare || len(e.event.Data) == 0 && startsJSON(line) {
		e.event.Bare = true
		e.append(line)
		return
	}
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "event":
		e.event.Name = string(value)
	case "data":
		e.append(value)
	}
}

func (e *eventStream) append(line []byte) {
	if len(e.event.Data) > 0 {
		e.event.Data = append(e.event.Data, '\n')
	}
	e.event.Data = append(e.event.Data, line...)
}

func startsJSON(line []byte) bool {
	trimmed := bytes.TrimLeft(line, " \t")
	return len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '[')
}

// mediaOf returns the media type of a body, without parameters.
func mediaOf(header http.Header) string {
	media, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	return media
}
