package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/report"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// Codes of diagnostics: about files that can't be read, and about what the system
// lacks.
const (
	codeFile    = "file"
	codeSandbox = "sandbox"
)

// codeOfDiagnostics is the exit code of a file with these mistakes.
func codeOfDiagnostics(found workflows.Diagnostics) int {
	code := exitSuccess
	for _, d := range found {
		switch {
		case d.Severity != workflows.SeverityError:
		case d.Configuration(), d.Code == codeSandbox:
			code = max(code, exitConfiguration)
		default:
			return exitUsage
		}
	}
	return code
}

// complainOf shows what was found, and passes on a workflow without mistakes.
func (p *program) complainOf(w *host.Loaded, found workflows.Diagnostics) (*host.Loaded, error) {
	p.render(found)
	if w == nil {
		return nil, exitError(codeOfDiagnostics(found))
	}
	return w, nil
}

// render prints diagnostics for a person, and how many errors there are.
func (p *program) render(found workflows.Diagnostics) {
	if len(found) == 0 {
		return
	}
	found = hintedAll(found)
	paint := p.painter()
	var b strings.Builder
	errors := 0
	for _, d := range found {
		b.WriteString(paintedDiagnostic(d, paint))
		b.WriteByte('\n')
		if d.Severity == workflows.SeverityError {
			errors++
		}
	}
	if errors > 1 {
		fmt.Fprintf(&b, "%d mistakes\n", errors)
	}
	p.stderr.Write([]byte(b.String()))
}

// paintedDiagnostic is a diagnostic with the place, the code and the mark in colours.
func paintedDiagnostic(d workflows.Diagnostic, c term.Painter) string {
	text := d.Render()
	if d.Code == codeFile && d.Source == "" {
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

// printDiagnostics writes them as a JSON array.
func (p *program) printDiagnostics(found workflows.Diagnostics) error {
	if found == nil {
		found = workflows.Diagnostics{}
	}
	return p.printJSON(hintedAll(found))
}

// printJSON writes a value to standard output, with <, > and & as they are.
func (p *program) printJSON(value any) error {
	encoder := json.NewEncoder(p.stdout)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

// hintedAll are diagnostics whose hints name flags.
func hintedAll(found workflows.Diagnostics) workflows.Diagnostics {
	for i, d := range found {
		found[i].Hint = report.Hint(d.Hint, d.Option)
		found[i].Option = ""
	}
	return found
}
