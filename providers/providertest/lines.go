package providertest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
)

// lined is a dialect whose stream is no server-sent events.
type lined interface {
	Dialect

	// ContentType is the type of the stream: application/x-ndjson.
	ContentType() string
}

// Answer answers a request with the whole stream of a reply.
func Answer(w http.ResponseWriter, d Dialect, reply Reply) {
	w.Header().Set("Content-Type", contentTypeOf(d))
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

// contentTypeOf is the type of a dialect's stream.
func contentTypeOf(d Dialect) string {
	if l, ok := d.(lined); ok {
		return l.ContentType()
	}
	return eventStream
}

// framed writes text, which is made of server-sent events or bare JSON, in the framing
// of a dialect. Of events that become lines the names and comments are left out.
func framed(d Dialect, text string) string {
	if _, ok := d.(lined); !ok {
		return text
	}
	var whole bytes.Buffer
	if json.Compact(&whole, []byte(text)) == nil && whole.Len() > 0 {
		return whole.String() + "\n"
	}
	lines := ""
	for line := range strings.Lines(text) {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			lines += data
		}
	}
	return lines
}
