package term

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"

	"github.com/a-seed-11b9befa/flow/internal/hidden"
)

// JSONOutput is a writer of lines of JSON to w. On a terminal and in a job's log it escapes characters
// so that no string is a command; the JSON stays equivalent.
func JSONOutput(w io.Writer, env func(name string) string) io.Writer {
	if InCILog(w, env) || IsTerminal(w) {
		return &harmlessJSON{to: w}
	}
	return w
}

// A harmlessJSON writes whole lines.
type harmlessJSON struct {
	to   io.Writer
	line []byte // its beginning
}

// Write writes the lines that are whole.
func (h *harmlessJSON) Write(p []byte) (int, error) {
	end := bytes.LastIndexByte(p, '\n') + 1
	if end > 0 {
		if _, err := io.WriteString(h.to, escapeJSON(string(h.line)+string(p[:end]))); err != nil {
			return 0, err
		}
		h.line = h.line[:0]
	}
	h.line = append(h.line, p[end:]...)
	return len(p), nil
}

// escapeJSON escapes characters that act on a terminal, are invisible, or begin a command.
func escapeJSON(text string) string {
	var b strings.Builder
	for _, r := range disarm(text, jsonEscape) {
		if hidden.Is(r) && r != '\n' {
			b.WriteString(jsonEscape(r))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// jsonEscape is the JSON escape of a character.
func jsonEscape(r rune) string {
	var b strings.Builder
	for _, unit := range utf16.AppendRune(nil, r) {
		fmt.Fprintf(&b, `\u%04x`, unit)
	}
	return b.String()
}
