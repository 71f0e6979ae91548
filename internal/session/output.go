package session

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/report"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/tools"
)

// The forms in which a result is printed.
const (
	FormatText = "text"
	FormatJSON = "json"
	FormatNone = "none"
)

// An Output is where a program writes: results to standard output, and all else to the screen.
type Output struct {
	Stdout io.Writer
	Screen *term.Screen
	Env    func(name string) string // of the terminal, or the CI system
}

// Result writes a result without its secrets. On a terminal its control characters are made
// visible, and in the log of a CI system the system's commands in it are disarmed.
func (o Output) Result(r *runner.Result, format string, mask *tools.Mask) error {
	switch format {
	case FormatNone:
		return nil
	case FormatJSON:
		return o.ToJSON(func(w io.Writer) error { return r.WriteJSON(w, mask) })
	}
	text := r.Text()
	if text == "" && len(r.Outputs) == 0 {
		return nil
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	text = mask.String(text)
	switch {
	case term.IsTerminal(o.Stdout):
		text = term.VisibleLines(text)
	case term.InCILog(o.Stdout, o.Env):
		text = term.Disarm(text)
	}
	return o.write(text)
}

// Text writes a text for people, in which nothing is a command to a CI system.
func (o Output) Text(text string) error { return o.write(term.Disarm(text)) }

func (o Output) write(text string) error {
	_, err := io.WriteString(o.Stdout, text)
	return named("standard output", err)
}

// JSON writes a value without its secrets, where no string of it acts on a terminal. An empty
// indent puts it on one line.
func (o Output) JSON(value any, indent string, mask *tools.Mask) error {
	var b bytes.Buffer
	if err := report.Encoder(&b, indent).Encode(value); err != nil {
		return err
	}
	return o.ToJSON(func(w io.Writer) error {
		_, err := w.Write(mask.JSON(b.Bytes()))
		return err
	})
}

// ToJSON has a function write whole lines of JSON, where no string acts on a terminal.
func (o Output) ToJSON(write func(io.Writer) error) error {
	return named("standard output", write(term.JSONOutput(o.Stdout, o.Env)))
}

// named puts a name before an error, if there is one.
func named(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", name, err)
}
