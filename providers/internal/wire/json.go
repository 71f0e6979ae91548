package wire

import (
	"bytes"
	"encoding/json"
)

// JSON writes what can always be written: texts, JSON, and maps and lists of
// them. Signs of HTML stay as they are.
func JSON(value any) json.RawMessage {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
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
