package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/view"
)

// A pair is one number or word of both runs.
type pair struct{ name, before, after, change string }

// rowsOf are the numbers by which two runs, or two steps, are compared. Either side may be nil.
func rowsOf(before, after *view.Measured) []pair {
	var rows []pair
	add := func(name string, word func(*view.Measured) string, change func(a, b *view.Measured) string) {
		r := pair{name: name}
		if before != nil {
			r.before = word(before)
		}
		if after != nil {
			r.after = word(after)
		}
		if before != nil && after != nil && change != nil {
			r.change = change(before, after)
		}
		if r.before != "" || r.after != "" {
			rows = append(rows, r)
		}
	}
	number := func(name string, of func(*view.Measured) int) {
		add(name, func(m *view.Measured) string { return fmt.Sprint(of(m)) }, func(a, b *view.Measured) string { return signed(of(b) - of(a)) })
	}
	add("status", statusWord, nil)
	add("stop reason", func(m *view.Measured) string { return m.StopReason }, nil)
	add("model", func(m *view.Measured) string { return strings.Join(m.Models, ", ") }, nil)
	number("turns", func(m *view.Measured) int { return m.Turns })
	if before != nil && before.Cached > 0 || after != nil && after.Cached > 0 {
		number("cached", func(m *view.Measured) int { return m.Cached })
	}
	number("calls", func(m *view.Measured) int { return m.Calls })
	number("denied", func(m *view.Measured) int { return m.Denied })
	add("tokens", func(m *view.Measured) string { return quantity.Thousands(m.Tokens) }, func(a, b *view.Measured) string {
		return percent(float64(a.Tokens), float64(b.Tokens))
	})
	add("cost", func(m *view.Measured) string { return m.Cost.String() }, func(a, b *view.Measured) string {
		if !a.Cost.Known || !b.Cost.Known {
			return ""
		}
		return percent(a.Cost.USD, b.Cost.USD)
	})
	add("time", func(m *view.Measured) string { return view.Took(time.Duration(m.TookMS) * time.Millisecond) }, func(a, b *view.Measured) string {
		return percent(float64(a.TookMS), float64(b.TookMS))
	})
	return rows
}

func statusWord(m *view.Measured) string {
	if m.Error != "" {
		return m.Status + " (" + m.Error + ")"
	}
	return m.Status
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
	if value == nil {
		return "(none)"
	}
	return runner.Text(value)
}
