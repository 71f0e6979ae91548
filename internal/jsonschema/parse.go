package jsonschema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Parse decodes one JSON value to plain data: nil, bool, string, [json.Number], []any and
// map[string]any. It refuses numbers that are expensive to compute with, such as
// 1e999999999, and more than 10,000 levels.
func Parse(raw []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var v any
	err := decoder.Decode(&v)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, fmt.Errorf("no valid JSON: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("no valid JSON: invalid character after top-level value")
	}
	return v, checkNumbers(v)
}

// checkNumbers returns an error for a number out of range anywhere in a value.
func checkNumbers(v any) error {
	switch v := v.(type) {
	case json.Number:
		if !inRange(string(v)) {
			return errors.New(outOfRange(string(v)))
		}
	case []any:
		for _, element := range v {
			if err := checkNumbers(element); err != nil {
				return err
			}
		}
	case map[string]any:
		for _, element := range v {
			if err := checkNumbers(element); err != nil {
				return err
			}
		}
	}
	return nil
}

// outOfRange is the message for a number beyond the limits.
func outOfRange(number string) string {
	return fmt.Sprintf("the number %s is out of range", clipTo(number, 60))
}
