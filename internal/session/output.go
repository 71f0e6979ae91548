package session

import (
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

// An Output is where results go, and nothing else does.
type Output struct {
	Stdout io.Writer
	Screen *term.Screen             // where all else goes
	Env    func(name string) string // of the terminal, or the CI system
}

// Result writes a result without its secrets. On a terminal its control characters are made
// visible, and in the log of a CI system the system's commands in it are disarmed.
func (o Output) Result(r *runner.Result, format string, mask *tools.Mask) error {
	switch format {
	case FormatNone:
		return nil
	case FormatJSON:
		return write(term.JSONOutput(o.Stdout, o.Env), func(w io.Writer) error { return r.WriteJSON(w, mask) })
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
	return o.Text(text)
}

// Text writes a text as it is.
func (o Output) Text(text string) error {
	return write(o.Stdout, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

func write(to io.Writer, write func(io.Writer) error) error {
	if err := write(to); err != nil {
		return fmt.Errorf("standard output: %w", err)
	}
	return nil
}
