package wire

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
)

// JSON writes what can always be written: texts, JSON, and maps and lists of
// them. Signs of HTML stay as they are.
func JSON(value any) json.RawMessage {
	encoded, err := jsonline.Encode(value)
	if err != nil {
		return nil
	}
	return encoded
}

// Piece writes a part of a request ahead of the rest. What can't be written, since it
// holds somebody's JSON that is none, becomes something that is no JSON either: a
// request can't be made of it, and nothing is left out in silence.
func Piece(value any) json.RawMessage {
	if encoded := JSON(value); encoded != nil {
		return encoded
	}
	return json.RawMessage("!")
}

// IsSet reports whether a field that may be null, or an empty text, holds
// something: some services send the empty field of an error with every chunk.
func IsSet(raw json.RawMessage) bool {
	switch string(bytes.TrimSpace(raw)) {
	case "", "null", `""`:
		return false
	}
	return true
}

// ReadText reads a JSON string, or null, that was found whole by a decoder of
// JSON: it is what a stream brings most of, and mostly has nothing to unescape.
func ReadText(data []byte, into *string) error {
	last := len(data) - 1
	if last < 1 || data[0] != '"' || bytes.IndexByte(data, '\\') >= 0 || !utf8.Valid(data) {
		return json.Unmarshal(data, into)
	}
	*into = string(data[1:last])
	return nil
}
