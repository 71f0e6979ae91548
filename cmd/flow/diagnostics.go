package main

import (
	"encoding/json"
	"io"

	"github.com/a-seed-11b9befa/flow/internal/report"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// codeOfDiagnostics is the exit code of a file with these mistakes.
func codeOfDiagnostics(found workflows.Diagnostics) int {
	switch {
	case !found.HasErrors():
		return exitSuccess
	case found.Configuration():
		return exitConfiguration
	}
	return exitUsage
}

// render prints diagnostics for a person.
func (p *program) render(found workflows.Diagnostics) {
	if len(found) > 0 {
		io.WriteString(p.stderr, report.Diagnostics(found, p.painter()))
	}
}

// tell writes to standard output what a command has to say: the value where the format is
// JSON, else the text.
func (p *program) tell(format string, value any, text func() string) error {
	if format == outputJSON {
		return p.printJSON(value)
	}
	_, err := io.WriteString(p.stdout, text())
	return err
}

// printJSON writes a value to standard output, where no string of it acts on a terminal.
func (p *program) printJSON(value any) error {
	return writeJSON(term.JSONOutput(p.stdout, p.env), value)
}

// writeJSON writes a value on many lines.
func writeJSON(to io.Writer, value any) error {
	encoder := newEncoder(to)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

// newEncoder writes each value on a line, with <, > and & as they are.
func newEncoder(to io.Writer) *json.Encoder {
	encoder := json.NewEncoder(to)
	encoder.SetEscapeHTML(false)
	return encoder
}
