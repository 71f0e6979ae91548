package wire

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
)

// JSON encodes a value, without HTML escapes; nil if it contains invalid JSON.
func JSON(value any) json.RawMessage {
	encoded, err := jsonline.Encode(value)
	if err != nil {
		return nil
	}
	return encoded
}

// Piece encodes a part of a request. A value that contains invalid JSON becomes invalid
// JSON, of which no request can be made, so that nothing is lost silently.
func Piece(value any) json.RawMessage {
	if encoded := JSON(value); encoded != nil {
		return encoded
	}
	return json.RawMessage("!")
}

// IsSet reports whether a field is neither null nor an empty string: some services send an
// empty error with every chunk.
func IsSet(raw json.RawMessage) bool {
	switch string(bytes.TrimSpace(raw)) {
	case "", "null", `""`:
		return false
	}
	return true
}

// ReadText decodes a valid JSON string, or null. It is fast for strings without escapes, of
// which a stream mostly consists.
func ReadText(data []byte, into *string) error {
	last := len(data) - 1
	if last < 1 || data[0] != '"' || bytes.IndexByte(data, '\\') >= 0 || !utf8.Valid(data) {
		return json.Unmarshal(data, into)
	}
	*into = string(data[1:last])
	return nil
}
