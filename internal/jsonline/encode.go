// Package jsonline is JSON as flow writes it and reads it back: [Encode] writes any value on one line,
// without HTML escapes, and [Decode] keeps the digits of numbers.
package jsonline

import (
	"bytes"
	"encoding/json"
	"fmt"
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

// Indented returns a value as text on any number of lines: a string as it is, any other value as
// JSON.
func Indented(value any) string {
	if text, is := value.(string); is {
		return text
	}
	var out bytes.Buffer
	data, err := Encode(value)
	if err != nil || json.Indent(&out, data, "", "  ") != nil {
		return fmt.Sprint(value)
	}
	return out.String()
}
