package jsonline

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// ExactNumbers replaces each [json.Number] in a value that was decoded with UseNumber, in
// place: by an int if it fits into one, by a float64 if it has a fraction or an exponent. A
// whole number that does not fit into an int stays as it is, because a float64 would change
// its digits. One that is too large even for a float64 becomes a string.
func ExactNumbers(value any) any {
	switch v := value.(type) {
	case json.Number:
		return exactNumber(v)
	case []any:
		for i := range v {
			v[i] = ExactNumbers(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = ExactNumbers(v[key])
		}
	}
	return value
}

// DecodeExact decodes JSON to plain data with numbers as [ExactNumbers] has them.
func DecodeExact(data []byte) (value any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	err = decoder.Decode(&value)
	return ExactNumbers(value), err
}

func exactNumber(n json.Number) any {
	if i, err := strconv.Atoi(n.String()); err == nil {
		return i
	}
	if !strings.ContainsAny(n.String(), ".eE") {
		return n
	}
	if f, err := n.Float64(); err == nil {
		return f
	}
	return n.String()
}
