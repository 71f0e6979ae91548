package main

import (
	"errors"
	"io"

	"github.com/a-seed-11b9befa/flow/internal/report"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// conclude prints what went wrong, and returns the exit code.
func (p *program) conclude(err error) int {
	if err == nil {
		return exitSuccess
	}
	var exit exitError
	var found workflows.Diagnostics
	switch {
	case errors.As(err, &exit):
		return int(exit)
	case errors.As(err, &found):
		p.render(found)
	default:
		p.complain(err)
	}
	return codeBefore(err)
}

// complain prints an error and its hint.
func (p *program) complain(err error) { p.say(err.Error(), report.HintOf(err)) }

// warn prints a warning.
func (p *program) warn(message string) { p.say("warning: "+message, "") }

// say prints a message of one or several lines under flow's name.
func (p *program) say(message, hint string) { io.WriteString(p.stderr, report.Message(message, hint)) }

// render prints diagnostics for a person.
func (p *program) render(found workflows.Diagnostics) {
	if len(found) > 0 {
		io.WriteString(p.stderr, report.Diagnostics(found, p.painter()))
	}
}

// print writes a text to standard output.
func (p *program) print(text string) error {
	_, err := io.WriteString(p.stdout, text)
	return err
}

// tell writes a result to standard output: the value as JSON or, in any other format, the text.
func (p *program) tell(value any, text func() string) error {
	if p.output == outputJSON {
		return p.printJSON(value, "  ")
	}
	return p.print(text())
}

// printJSON writes a value to standard output, where no string of it acts on a terminal.
func (p *program) printJSON(value any, indent string) error {
	return report.Encoder(term.JSONOutput(p.stdout, p.env), indent).Encode(value)
}
