package jsonschema

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// Equal reports whether two values, as [Parse] returns them, are equal as JSON: 1 and 1.0 are, and
// the order of keys does not count.
func Equal(a, b any) bool { return bytes.Equal(canonical(nil, a), canonical(nil, b)) }

// canonical writes equal JSON values identically: 1 and 1.0 are equal, and the order of keys
// does not count.
func canonical(to []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(to, 'n')
	case bool:
		return strconv.AppendBool(to, v)
	case string:
		return appendText(to, v)
	case []any:
		to = append(to, '[')
		for _, element := range v {
			to = append(canonical(to, element), ',')
		}
		return append(to, ']')
	case map[string]any:
		to = append(to, '{')
		for _, key := range slices.Sorted(maps.Keys(v)) {
			to = append(canonical(appendText(to, key), v[key]), ',')
		}
		return append(to, '}')
	}
	if n, ok := numberOf(v); ok {
		return append(to, n.RatString()...)
	}
	return fmt.Append(to, "?", v) // no JSON, and told as that
}

// appendText writes a text with its length before it instead of escapes.
func appendText(to []byte, s string) []byte {
	return append(append(strconv.AppendInt(append(to, '"'), int64(len(s)), 10), ':'), s...)
}

// An enumRule is a list of allowed values.
type enumRule struct {
	values []any
	known  map[string]bool // by how they are written
}

func newEnum(values []any) *enumRule {
	e := &enumRule{values: values, known: make(map[string]bool, len(values))}
	for _, value := range values {
		e.known[string(canonical(nil, value))] = true
	}
	return e
}

// has reports whether a value is allowed.
func (e *enumRule) has(value any) bool {
	var short [64]byte
	return e.known[string(canonical(short[:0], value))]
}
