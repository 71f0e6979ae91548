package providertest

import (
	"bytes"
	"encoding/json"
	"net/http"
)

// lined is a dialect whose stream is no server-sent events.
type lined interface {
	Dialect

	// ContentType is the type of the stream: application/x-ndjson.
	ContentType() string
}

// Answer answers a request with the whole stream of a reply.
func Answer(w http.ResponseWriter, d Dialect, reply Reply) {
	contentType := eventStream
	if l, ok := d.(lined); ok {
		contentType = l.ContentType()
	}
	w.Header().Set("Content-Type", contentType)
	d.Write(w, reply)
}

const eventStream = "text/event-stream"

// eventsOf cuts a stream into its events, or its lines of JSON.
func eventsOf(stream []byte) [][]byte {
	end := "\n\n"
	if bytes.HasPrefix(stream, []byte("{")) {
		end = "\n"
	}
	return bytes.SplitAfter(stream, []byte(end))
}

// framed returns what writes to w in the framing of a dialect: server-sent events
// become lines of JSON where the dialect has those.
func framed(w http.ResponseWriter, d Dialect) http.ResponseWriter {
	if l, ok := d.(lined); ok {
		return &liner{ResponseWriter: w, contentType: l.ContentType()}
	}
	return w
}

// A liner writes events as lines: what stands behind "data:" and bare JSON, each
// on a line of its own. Names of events and comments are left out. A line that is
// not at its end yet is written as far as it has come.
type liner struct {
	http.ResponseWriter
	contentType string

	line    []byte // what has come of a line, but for data that is written
	data    bool   // the line is data
	written bool
}

// Unwrap is for [http.NewResponseController].
func (l *liner) Unwrap() http.ResponseWriter { return l.ResponseWriter }

// Write takes in what is written as events.
func (l *liner) Write(p []byte) (int, error) {
	if !l.written && l.Header().Get("Content-Type") == eventStream {
		l.Header().Set("Content-Type", l.contentType)
	}
	l.written = true
	if l.Header().Get("Content-Type") != l.contentType {
		return l.ResponseWriter.Write(p)
	}
	var out []byte
	for part := range bytes.Lines(p) {
		out = append(out, l.take(part)...)
	}
	if len(out) > 0 {
		if _, err := l.ResponseWriter.Write(out); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// take returns what is to be written of the next part of a line.
func (l *liner) take(part []byte) []byte {
	prefix := []byte("data: ")
	if l.data {
		l.data = !bytes.HasSuffix(part, []byte("\n"))
		return part
	}
	l.line = append(l.line, part...)
	switch {
	case bytes.HasPrefix(l.line, prefix):
		rest := bytes.Clone(l.line[len(prefix):])
		l.line, l.data = l.line[:0], !bytes.HasSuffix(rest, []byte("\n"))
		return rest
	case json.Valid(l.line):
		var whole bytes.Buffer
		json.Compact(&whole, l.line)
		l.line = l.line[:0]
		return append(whole.Bytes(), '\n')
	case bytes.HasSuffix(l.line, []byte("\n")) && !bytes.HasPrefix(bytes.TrimSpace(l.line), []byte("{")):
		l.line = l.line[:0] // a comment, a name, or nothing
	}
	return nil
}
