package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/view"
)

// A pair is one number or word of both runs.
type pair struct{ name, before, after, change string }

// rowsOf are what runs, or steps, are compared by. A side that is nil has none.
func rowsOf(before, after *view.Measured) []pair {
	words := func(m *view.Measured) []string {
		if m == nil {
			return make([]string, 9)
		}
		status := m.Status
		if m.Error != "" {
			status += " (" + m.Error + ")"
		}
		return []string{
			status, m.StopReason, strings.Join(m.Models, ", "), fmt.Sprint(m.Turns), fmt.Sprint(m.Calls), fmt.Sprint(m.Denied),
			quantity.Thousands(int(m.Tokens)), costWord(m.Cost), view.Took(time.Duration(m.TookMS) * time.Millisecond),
		}
	}
	names := []string{"status", "stop reason", "model", "turns", "calls", "denied", "tokens", "cost", "time"}
	a, b := words(before), words(after)
	var rows []pair
	for i, name := range names {
		if a[i] == "" && b[i] == "" {
			continue
		}
		rows = append(rows, pair{name: name, before: a[i], after: b[i]})
		if before != nil && after != nil {
			rows[len(rows)-1].change = changeOf(name, before, after)
		}
	}
	return rows
}

func costWord(c runner.Cost) string {
	switch {
	case !c.Known:
		return "unknown"
	case c.USD == 0:
		return "$0"
	}
	return view.Dollars(c.USD)
}

// changeOf is how much a number has changed: the difference, or the percentage of
// what can be large.
func changeOf(name string, a, b *view.Measured) string {
	switch name {
	case "turns":
		return signed(b.Turns - a.Turns)
	case "calls":
		return signed(b.Calls - a.Calls)
	case "denied":
		return signed(b.Denied - a.Denied)
	case "tokens":
		return percent(float64(a.Tokens), float64(b.Tokens))
	case "cost":
		if a.Cost.Known && b.Cost.Known {
			return percent(a.Cost.USD, b.Cost.USD)
		}
	case "time":
		return percent(float64(a.TookMS), float64(b.TookMS))
	}
	return ""
}

func signed(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%+d", n)
}

func percent(a, b float64) string {
	if a == 0 || a == b {
		return ""
	}
	return fmt.Sprintf("%+.0f%%", 100*(b-a)/a)
}

// valueWord is a value on one line.
func valueWord(value any) string { return term.Shorten(valueText(value), 80) }

func valueText(value any) string {
	switch value := value.(type) {
	case nil:
		return "(none)"
	case string:
		return value
	}
	data, err := jsonline.Encode(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(data)
}
