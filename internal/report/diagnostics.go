package report

import (
	"fmt"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/workflows"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// Diagnostics are diagnostics for a person, and the number of errors; "" for none.
func Diagnostics(found workflows.Diagnostics, paint term.Painter) string {
	var b strings.Builder
	errors := 0
	for _, d := range HintedAll(found) {
		b.WriteString(paintedDiagnostic(d, paint))
		b.WriteByte('\n')
		if d.Severity == workflows.SeverityError {
			errors++
		}
	}
	if errors > 1 {
		fmt.Fprintf(&b, "%d mistakes\n", errors)
	}
	return b.String()
}

// paintedDiagnostic is a diagnostic with the position, the code and the mark in colours.
func paintedDiagnostic(d workflows.Diagnostic, c term.Painter) string {
	text := d.Render()
	if d.Code == diagnostic.CodeFile && d.Source == "" {
		text = strings.Replace(text, ":1:1: ", ": ", 1) // there are no lines to have it in
	}
	if !c.On {
		return text
	}
	lines := strings.Split(text, "\n")
	if rest, ok := strings.CutPrefix(lines[0], d.Position().String()); ok {
		lines[0] = c.Bold(d.Position().String()) + rest
	}
	if tail := "[" + d.Code + "]"; strings.HasSuffix(lines[0], tail) {
		lines[0] = strings.TrimSuffix(lines[0], tail) + c.Dim(tail)
	}
	for i := 1; i < len(lines); i++ {
		paint := c.Dim
		if i == len(lines)-1 {
			paint = c.Green
		}
		lines[i] = paint(lines[i])
	}
	return strings.Join(lines, "\n")
}

// HintedAll are diagnostics whose hints name flags.
func HintedAll(found workflows.Diagnostics) workflows.Diagnostics {
	for i, d := range found {
		found[i].Hint = Hint(d.Hint, d.Option)
		found[i].Option = ""
	}
	return found
}
