package jsonschema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Parse reads one JSON value as plain data: nil, bool, string, [json.Number],
// []any and map[string]any. Numbers that take more to compute with than to
// write, such as 1e999999999, are refused, and so are more than 10,000 levels.
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

// checkNumbers refuses numbers that are out of range, wherever they stand.
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

// outOfRange words the one problem with numbers that can't be computed with.
func outOfRange(number string) string {
	return fmt.Sprintf("the number %s is out of range", clipTo(number, 60))
}
