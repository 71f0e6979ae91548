package tree

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
)

// TextOf returns a value as text: strings as they are, nil as nothing, anything else as
// compact JSON.
func TextOf(v any) (string, error) {
	switch v := v.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	}
	return CompactJSON(v)
}

// CompactJSON encodes without blanks, without HTML escapes, keys sorted.
func CompactJSON(v any) (string, error) {
	text, err := jsonline.Encode(v)
	if err != nil {
		return "", fmt.Errorf("JSON: %w", err)
	}
	return string(text), nil
}

// ParseJSON decodes one JSON value into plain data. Whole numbers are int, or
// json.Number when they are too big for that.
func ParseJSON(text string) (any, error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, fmt.Errorf("JSON: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("JSON: more text after the value")
	}
	return exactNumbers(v), nil
}

// exactNumbers replaces json.Number by int or float64 wherever nothing is lost.
func exactNumbers(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = exactNumbers(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = exactNumbers(v[key])
		}
	case json.Number:
		if i, err := strconv.Atoi(v.String()); err == nil {
			return i
		}
		if f, err := v.Float64(); err == nil && strings.ContainsAny(v.String(), ".eE") {
			return f
		}
	}
	return v
}
