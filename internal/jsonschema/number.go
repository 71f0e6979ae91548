package jsonschema

import (
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// A bound is a number in a schema, exact, and as it is written.
type bound struct {
	*big.Rat
	shown string
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
	if s == "" || len(s) > maxDigits {
		return false
	}
	whole, fraction, _ := strings.Cut(s, ".")
	return strings.Trim(whole, "0123456789") == "" && strings.Trim(fraction, "0123456789") == ""
}

// numberText returns the JSON of a number; false for other values.
func numberText(v any) (string, bool) {
	switch v := v.(type) {
	case json.Number:
		return string(v), true
	case int:
		return strconv.Itoa(v), true
	case int64:
		return strconv.FormatInt(v, 10), true
	case uint64:
		return strconv.FormatUint(v, 10), true
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

// countOf returns an integer as an int; the largest int for a larger one.
func countOf(n *big.Rat) int {
	if !n.Num().IsInt64() {
		return math.MaxInt
	}
	return int(n.Num().Int64())
}

// exclusive reads an exclusive bound. In OpenAPI 3.0 and draft-04 it is a flag beside the
// bound.
func (r *reader) exclusive(v any, beside string) *bound {
	flag, isFlag := v.(bool)
	if !isFlag {
		return r.number(v)
	}
	if n, there := numberOf(r.source[beside]); flag && there {
		return &bound{n, show(r.source[beside])}
	}
	return nil
}

// readMultipleOf refuses 0, of which nothing is a multiple.
func readMultipleOf(r *reader, v any) {
	n := r.number(v)
	if n != nil && n.Sign() <= 0 {
		r.problem(r.at(), "got %s, want a number above 0", show(v))
		return
	}
	r.node.multipleOf = n
}

// checkNumber checks a number with all bounds.
func (v *validator) checkNumber(n *node, value any) bool {
	if n.numberRules == (numberRules{}) {
		return true
	}
	x, inRange := numberOf(value)
	if !inRange {
		return false // and told as a problem of its type
	}
	ok := true
	for _, rule := range []struct {
		keyword, want string
		bound         *bound
		fits          func(compared int) bool
	}{
		{"minimum", "at least", n.minimum, func(c int) bool { return c >= 0 }},
		{"exclusiveMinimum", "more than", n.above, func(c int) bool { return c > 0 }},
		{"maximum", "at most", n.maximum, func(c int) bool { return c <= 0 }},
		{"exclusiveMaximum", "less than", n.below, func(c int) bool { return c < 0 }},
	} {
		if rule.bound != nil && !rule.fits(x.Cmp(rule.bound.Rat)) {
			ok = v.fail(n, rule.keyword, "got %s, want %s %s", v.show(value), rule.want, rule.bound.shown)
		}
	}
	if m := n.multipleOf; m != nil && !new(big.Rat).Quo(x, m.Rat).IsInt() {
		ok = v.fail(n, "multipleOf", "got %s, want a multiple of %s", v.show(value), m.shown)
	}
	return ok
}
