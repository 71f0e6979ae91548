package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

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

// An Output is where a program writes: results to standard output, and all else to the screen. Nothing
// that is written has a secret of the mask.
type Output struct {
	Stdout io.Writer
	Screen *term.Screen
	Env    func(name string) string // of the terminal, or the CI system
	Mask   *tools.Mask              // nil: nothing is hidden
}

// Hide hides secrets in everything that is written from now on.
func (o *Output) Hide(secrets *tools.Mask) {
	o.Mask = secrets
	o.Screen.Hide(secrets.String)
}

// Result writes a result. On a terminal its control characters are made
// visible, and in the log of a CI system the system's commands in it are disarmed.
func (o Output) Result(r *runner.Result, format string) error {
	switch format {
	case FormatNone:
		return nil
	case FormatJSON:
		return named("standard output", r.WriteJSON(o.harmless(), o.Mask))
	}
	text := r.Text()
	if text == "" && len(r.Outputs) == 0 {
		return nil
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	text = o.Mask.String(text)
	switch {
	case term.IsTerminal(o.Stdout):
		text = term.VisibleLines(text)
	case term.InCILog(o.Stdout, o.Env):
		text = term.Disarm(text)
	}
	return o.write(text)
}

// Text writes a text for people, in which nothing is a command to a CI system.
func (o Output) Text(text string) error { return o.write(term.Disarm(o.Mask.String(text))) }

func (o Output) write(text string) error {
	_, err := io.WriteString(o.Stdout, text)
	return named("standard output", err)
}

// JSON writes a value, where no string of it acts on a terminal. An empty indent puts it on one line.
func (o Output) JSON(value any, indent string) error {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", indent)
	if err := encoder.Encode(value); err != nil {
		return err
	}
	_, err := o.harmless().Write(o.Mask.JSON(b.Bytes()))
	return named("standard output", err)
}

func (o Output) harmless() io.Writer { return term.JSONOutput(o.Stdout, o.Env) }

// named puts a name before an error, if there is one.
func named(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", name, err)
}
