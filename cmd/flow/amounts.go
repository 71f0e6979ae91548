package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// count gives a number with its noun: 1 call, 1,234 calls.
func count(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return thousands(n) + " " + noun + "s"
}

// thousands gives a number with commas.
func thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// dollars gives a cost with as many digits as tell something.
func dollars(usd float64) string {
	if usd != 0 && usd < 0.01 {
		return fmt.Sprintf("$%.4f", usd)
	}
	return fmt.Sprintf("$%.2f", usd)
}

// took gives a duration as a person says it.
func took(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%.0fs", d.Seconds())
	}
	d = d.Round(time.Second)
	if d < time.Hour {
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}

// amounts lists what a tally has come to; nothing where it has come to nothing.
func (t *tally) amounts() string {
	var parts []string
	add := func(n int64, noun string) {
		if n > 0 {
			parts = append(parts, count(n, noun))
		}
	}
	add(int64(t.turns), "turn")
	add(int64(t.calls), "call")
	if t.denied > 0 {
		parts = append(parts, thousands(int64(t.denied))+" denied")
	}
	add(t.tokens, "token")
	switch {
	case t.unpriced && t.tokens > 0:
		parts = append(parts, "cost unknown")
	case t.cost > 0:
		parts = append(parts, dollars(t.cost))
	}
	return strings.Join(parts, ", ")
}
