package main

import (
	"encoding/json"
	"io"

	"github.com/a-seed-11b9befa/flow/internal/report"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner/host"
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

// complainOf shows what was found, and passes on a workflow without mistakes.
func (p *program) complainOf(w *host.Loaded, found workflows.Diagnostics) (*host.Loaded, error) {
	p.render(found)
	if w == nil {
		return nil, exitError(codeOfDiagnostics(found))
	}
	return w, nil
}

// render prints diagnostics for a person.
func (p *program) render(found workflows.Diagnostics) {
	if len(found) > 0 {
		io.WriteString(p.stderr, report.Diagnostics(found, p.painter()))
	}
}

// printDiagnostics writes them as a JSON array.
func (p *program) printDiagnostics(found workflows.Diagnostics) error {
	if found == nil {
		found = workflows.Diagnostics{}
	}
	return p.printJSON(report.HintedAll(found))
}

// printJSON writes a value to standard output, where no string of it acts on a terminal.
func (p *program) printJSON(value any) error {
	return writeJSON(term.JSONOutput(p.stdout, p.env), value)
}

// writeJSON writes a value on many lines, with <, > and & as they are.
func writeJSON(to io.Writer, value any) error {
	encoder := json.NewEncoder(to)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}
