package term

import (
	"bytes"
	"io"
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
	h.line = append(h.line, p...)
	end := bytes.LastIndexByte(h.line, '\n') + 1
	if _, err := io.WriteString(h.to, disarmJSON(string(h.line[:end]))); err != nil {
		return 0, err
	}
	h.line = h.line[end:]
	return len(p), nil
}
