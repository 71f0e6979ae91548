package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/tools"
)

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
			parts = append(parts, tools.Count(n, noun))
		}
	}
	add(int64(t.turns), "turn")
	add(int64(t.calls), "call")
	if t.denied > 0 {
		parts = append(parts, tools.Thousands(t.denied)+" denied")
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
