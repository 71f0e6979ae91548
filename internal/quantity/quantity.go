// Package quantity formats numbers for people and models, and parses those of people.
package quantity

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Count is a number with its noun: 1 call, 1,234 calls, 2 properties.
func Count[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if noun, isY := strings.CutSuffix(noun, "y"); isY {
		return Thousands(n) + " " + noun + "ies"
	}
	return Thousands(n) + " " + noun + "s"
}

// Thousands is a number with a comma between groups of three digits.
func Thousands[N int | int64](n N) string {
	s := strconv.FormatInt(int64(n), 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Dollars is an amount with its significant digits: $0.0125, $1.50. Half a cent is rounded up, in
// whatever order the parts of the amount were added.
func Dollars(amount float64) string {
	if amount != 0 && amount < 0.01 {
		return "$" + USD(amount)
	}
	const lost = 1e-9 // by adding parts, at most
	return "$" + strconv.FormatFloat(amount+lost, 'f', 2, 64)
}

// USD returns an amount with at least four digits after the point, and with as many more as its
// first two that are not 0 need: 1.5000, 0.0125, 0.000012.
func USD(amount float64) string {
	const least, most = 4, 12
	digits := least
	for digits < most && amount < math.Pow10(1-digits) {
		digits++
	}
	text := strconv.FormatFloat(amount, 'f', digits, 64)
	for digits > least && text[len(text)-1] == '0' {
		text, digits = text[:len(text)-1], digits-1
	}
	return text
}

// Time is a length of time without seconds and minutes at its end that are none: 20m, 4h.
func Time(d time.Duration) string {
	text := d.String()
	for _, none := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, none) {
			text = strings.TrimSuffix(text, none[1:])
		}
	}
	return text
}
