package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/runner/view"
	"github.com/a-seed-11b9befa/flow/steps"
)

// A pair is one number or word of both runs.
type pair struct{ name, before, after, change string }

// rowNames name the numbers by which two runs, or two steps, are compared.
var rowNames = []string{"status", "failures", "stop reason", "model", "turns", "cached", "calls", "denied", "tokens", "cost", "time"}

// rowsOf are the numbers of both. Either side may be nil.
func rowsOf(before, after *view.Measured) []pair {
	was, is, change := words(before), words(after), changes(before, after)
	var rows []pair
	for i, name := range rowNames {
		none := was[i]+is[i] == "" || (name == "cached" || name == "failures") && strings.Trim(was[i]+is[i], "0") == ""
		if was[i] == is[i] { // a change that the words are too coarse for
			change[i] = ""
		}
		if !none {
			rows = append(rows, pair{name, was[i], is[i], change[i]})
		}
	}
	return rows
}

// changedRows are the rows of a step that differ, but for its time.
func changedRows(step view.StepComparison) []pair {
	return slices.DeleteFunc(rowsOf(step.Before, step.After), func(r pair) bool { return r.before == r.after || r.name == "time" })
}

// words are the numbers of a run or a step in words, in the order of the names.
func words(m *view.Measured) []string {
	if m == nil {
		return make([]string, len(rowNames))
	}
	return []string{
		statusWord(m), fmt.Sprint(m.Failures), m.StopReason, strings.Join(m.Models, ", "),
		fmt.Sprint(m.Turns), fmt.Sprint(m.Cached), fmt.Sprint(m.Calls), fmt.Sprint(m.Denied),
		quantity.Thousands(m.Tokens), m.Cost.String(), view.Took(time.Duration(m.TookMS) * time.Millisecond),
	}
}

// changes are the changes of the numbers, in the order of the names.
func changes(a, b *view.Measured) []string {
	if a == nil || b == nil {
		return make([]string, len(rowNames))
	}
	cost := ""
	if a.Cost.Known && b.Cost.Known {
		cost = percent(a.Cost.USD, b.Cost.USD)
	}
	return []string{
		"", signed(b.Failures - a.Failures), "", "", signed(b.Turns - a.Turns), signed(b.Cached - a.Cached), signed(b.Calls - a.Calls), signed(b.Denied - a.Denied),
		percent(float64(a.Tokens), float64(b.Tokens)), cost, percent(float64(a.TookMS), float64(b.TookMS)),
	}
}

func statusWord(m *view.Measured) string {
	status := view.StatusWord(steps.Status(m.Status), m.Continued)
	if m.Error != "" {
		status += " (" + steps.Kind(m.Error).Words() + ")"
	}
	return status
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
