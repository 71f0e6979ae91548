package jsonschema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
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
func checkNumbers(v any) (err error) {
	walk(v, func(part any) {
		if number, is := part.(json.Number); is && !inRange(string(number)) {
			err = errors.New(outOfRange(number))
		}
	})
	return err
}

// walk visits a value and everything in it.
func walk(v any, visit func(part any)) {
	visit(v)
	switch v := v.(type) {
	case []any:
		for _, element := range v {
			walk(element, visit)
		}
	case map[string]any:
		for _, element := range v {
			walk(element, visit)
		}
	}
}

// Longer or larger numbers are never meant, and could take any amount of memory to compute
// with.
const maxDigits, maxExponent = 1000, 400

// inRange reports whether a text is a JSON number within these limits.
func inRange(s string) bool {
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		exponent, err := strconv.Atoi(s[i+1:])
		if err != nil || exponent > maxExponent || exponent < -maxExponent {
			return false
		}
		s = s[:i]
	}
	s = strings.TrimPrefix(s, "-")
	whole, fraction, _ := strings.Cut(s, ".")
	return s != "" && len(s) <= maxDigits && strings.Trim(whole, "0123456789") == "" && strings.Trim(fraction, "0123456789") == ""
}

// outOfRange is the message for a number beyond the limits.
func outOfRange(number any) string {
	return fmt.Sprintf("the number %s is out of range", clipTo(fmt.Sprint(number), 60))
}

// numberText returns the JSON of a number; false for other values.
func numberText(v any) (string, bool) {
	switch v := v.(type) {
	case json.Number:
		return string(v), true
	case int, int64, uint64:
		return fmt.Sprint(v), true
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), true // of NaN and Inf none that is in range
	}
	return "", false
}

// numberOf returns the number that a value is; false if it is none, or beyond the limits.
func numberOf(v any) (*big.Rat, bool) {
	text, isNumber := numberText(v)
	if !isNumber || !inRange(text) {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}

// countOf returns the integer that a value is, at most the largest int.
func countOf(v any) int {
	n, ok := numberOf(v)
	switch {
	case !ok:
		return 0
	case !n.Num().IsInt64():
		return math.MaxInt
	}
	return int(n.Num().Int64())
}

// typeOf returns the name of a value's type: number also for integers.
func typeOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	case int, int64, uint64, float64, json.Number:
		return "number"
	}
	return fmt.Sprintf("%T", v)
}

// hasType reports whether a value has one of some types.
func hasType(v any, types []string) bool {
	if slices.Contains(types, typeOf(v)) {
		return true
	}
	n, isNumber := numberOf(v)
	return isNumber && n.IsInt() && slices.Contains(types, "integer")
}

// size counts the values in a value.
func size(v any) (n int) {
	walk(v, func(any) { n++ })
	return n
}

// Equal reports whether two values, as [Parse] returns them, are equal as JSON: 1 and 1.0 are, and
// the order of keys does not count.
func Equal(a, b any) bool { return bytes.Equal(canonical(nil, a), canonical(nil, b)) }

// canonical writes equal JSON values identically.
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

// show writes a value for a message, shortened.
func show(v any) string { return showHidden(v, func(text string) string { return text }) }

// showHidden is show for a value with secrets, which hide removes from a text before it is cut.
func showHidden(v any, hide func(text string) string) string {
	const most = 80
	if text, isText := v.(string); isText {
		return strconv.Quote(clipTo(hide(text), most))
	}
	if text, isNumber := numberText(v); isNumber {
		return clipTo(hide(text), most)
	}
	text, err := json.Marshal(v)
	if err != nil {
		return typeOf(v)
	}
	return clipTo(hide(string(text)), most)
}
