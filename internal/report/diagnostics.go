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

// paintedDiagnostic is a diagnostic with the position and the mark in colours.
func paintedDiagnostic(d workflows.Diagnostic, c term.Painter) string {
	text := d.Render()
	if d.Code == diagnostic.CodeFile && d.Source == "" {
		text = strings.Replace(text, ":1:1: ", ": ", 1) // there are no lines to have it in
	}
	if !c.On {
		return text
	}
	first, source, _ := strings.Cut(text, "\n")
	if rest, ok := strings.CutPrefix(first, d.Position().String()); ok {
		first = c.Paint(term.Heading, d.Position().String()) + rest
	}
	if source == "" {
		return first
	}
	line, mark, _ := strings.Cut(source, "\n")
	return first + "\n" + c.Paint(term.Faint, line) + "\n" + c.Paint(term.Good, mark)
}

// HintedAll are diagnostics whose hints name flags.
func HintedAll(found workflows.Diagnostics) workflows.Diagnostics {
	for i, d := range found {
		found[i].Hint = Hint(d.Hint, d.Option)
		found[i].Option = ""
	}
	return found
}
