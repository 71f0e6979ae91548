package jsonline

import (
	"bytes"
	"encoding/json"
)

// Encode returns value as JSON on one line, without a newline and with <, > and &
// as they are: what is kept or sent is read by people and models, and by no
// browser. Keys of maps are sorted.
func Encode(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}
