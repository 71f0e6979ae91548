package wire

import (
	"bytes"
	"encoding/json"

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

// IsSet reports whether a field is neither null nor an empty string: some services send an
// empty error with every chunk.
func IsSet(raw json.RawMessage) bool {
	switch string(bytes.TrimSpace(raw)) {
	case "", "null", `""`:
		return false
	}
	return true
}
