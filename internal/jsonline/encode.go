package jsonline

import (
	"bytes"
	"encoding/json"
)

// Encode returns value as JSON on one line, without a newline, with sorted keys. It does not
// escape <, > and &: people and models read the result, not browsers.
func Encode(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}
