package wire

import (
	"bytes"
	"encoding/json"

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

// IsSet reports whether a field that may be null, or an empty text, holds
// something: some services send the empty field of an error with every chunk.
func IsSet(raw json.RawMessage) bool {
	switch string(bytes.TrimSpace(raw)) {
	case "", "null", `""`:
		return false
	}
	return true
}
