package jsonschema

import (
	"cmp"
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// A number is digits × 10^exponent, exactly. Equal numbers are equal structs.
type number struct {
	negative bool
	digits   string // without zeros at either end; "" is zero
	exponent int
}

// What is longer or larger is no number that anybody means, and may take any
// amount of memory to compute with.
const mostDigits, mostExponent = 1000, 400

// parseNumber reads a number as JSON writes it, and reports whether it is one,
// and in range.
func parseNumber(s string) (number, bool) {
	var n number
	s, n.negative = strings.CutPrefix(s, "-")
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		exponent, err := strconv.Atoi(s[i+1:])
		if err != nil || exponent > mostExponent || exponent < -mostExponent {
			return number{}, false
		}
		s, n.exponent = s[:i], exponent
	}
	if len(s) == 0 || len(s) > mostDigits {
		return number{}, false
	}
	if whole, fraction, found := strings.Cut(s, "."); found {
		s, n.exponent = whole+fraction, n.exponent-len(fraction)
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return number{}, false
		}
	}
	n.digits = strings.TrimRight(strings.TrimLeft(s, "0"), "0")
	n.exponent += len(s) - len(strings.TrimRight(s, "0"))
	if n.digits == "" {
		return number{}, true
	}
	return n, true
}

// numberOf gives the number that a value is, and reports whether it is one that
// can be computed with.
func numberOf(v any) (number, bool) {
	switch v := v.(type) {
	case json.Number:
		return parseNumber(string(v))
	case int:
		return parseNumber(strconv.Itoa(v))
	case int64:
		return parseNumber(strconv.FormatInt(v, 10))
	case uint64:
		return parseNumber(strconv.FormatUint(v, 10))
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return number{}, false
		}
		return parseNumber(strconv.FormatFloat(v, 'g', -1, 64))
	}
	return number{}, false
}

// whole reports whether n is an integer, however it is written.
func (n number) whole() bool { return n.exponent >= 0 }

// compare is -1 where n is less than m, 0 where they are equal, and else 1.
func (n number) compare(m number) int {
	if n.sign() != m.sign() {
		return cmp.Compare(n.sign(), m.sign())
	}
	size := cmp.Compare(len(n.digits)+n.exponent, len(m.digits)+m.exponent)
	if size == 0 || n.digits == "" || m.digits == "" {
		size = strings.Compare(n.digits, m.digits)
	}
	return size * n.sign()
}

func (n number) sign() int {
	switch {
	case n.digits == "":
		return 0
	case n.negative:
		return -1
	}
	return 1
}

// multipleOf reports whether n is a whole multiple of m, which is not zero.
func (n number) multipleOf(m number) bool {
	if n.exponent == m.exponent {
		a, errA := strconv.ParseInt(n.digits, 10, 64)
		b, errB := strconv.ParseInt(m.digits, 10, 64)
		if errA == nil && errB == nil {
			return a%b == 0
		}
	}
	if n.digits == "" {
		return true
	}
	least := min(n.exponent, m.exponent)
	return new(big.Int).Rem(n.scaled(least), m.scaled(least)).Sign() == 0
}

// scaled gives the size of n in units of 10^exponent.
func (n number) scaled(exponent int) *big.Int {
	digits, _ := new(big.Int).SetString(n.digits+strings.Repeat("0", n.exponent-exponent), 10)
	return digits
}

// count gives n as an int: the largest one where n is larger.
func (n number) count() int {
	if n.exponent > 20 {
		return math.MaxInt
	}
	i, err := strconv.Atoi(n.digits + strings.Repeat("0", n.exponent))
	if err != nil && n.digits != "" {
		return math.MaxInt
	}
	return i
}
