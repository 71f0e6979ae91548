package tools

import (
	"fmt"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
)

// Text is what is kept of an output.
type Text struct {
	// Content is what the model is shown. A note in the place of what was left out says
	// how much that is, and where the whole output is.
	Content string

	Truncated bool   // something was left out, or a line shortened
	Path      string // of the file with the whole output, or ""
	Lost      bool   // something was left out, and there is no whole file

	// Lines and Bytes are those of the whole output, masked unless revealed.
	Lines, Bytes int64
}

func (o *Output) text() Text {
	w := &o.lines.window
	tail := w.lastLines()
	t := Text{Truncated: o.lines.truncated(), Lines: w.all.lines, Bytes: w.all.bytes}
	if o.file.file != nil && (o.file.err == nil || o.file.written > 0) {
		t.Path = o.file.path
	}
	t.Lost = t.Truncated && (o.file.file == nil || o.file.err != nil)
	if !t.Truncated {
		t.Content = string(w.head.text) + string(tail.text)
		return t
	}
	lines := w.all.lines - w.head.lines - tail.lines
	bytes := w.all.bytes - w.head.bytes - tail.bytes
	if lines == 0 { // only long lines were shortened
		t.Content = onNewLine(string(w.head.text)+string(tail.text), o.notice("… long lines are shortened"))
		return t
	}
	notice := fmt.Sprintf("… %s (%s) left out", quantity.Count(lines, "line"), quantity.Count(bytes, "byte"))
	t.Content = onNewLine(onNewLine(string(w.head.text), o.notice(notice)), string(tail.text))
	return t
}

// notice adds to a note where the whole output is.
func (o *Output) notice(what string) string {
	f := &o.file
	switch {
	case f.err != nil && f.written == 0:
		return fmt.Sprintf("%s, and lost: %v", what, f.err)
	case f.err != nil:
		return fmt.Sprintf("%s; only the first %s are in %s, the rest is lost: %v", what, quantity.Count(f.written, "byte"), f.path, f.err)
	case f.file == nil:
		return what
	case o.hint == "":
		return fmt.Sprintf("%s; the whole output is in %s", what, f.path)
	}
	return fmt.Sprintf("%s; the whole output is in %s; %s", what, f.path, o.hint)
}

// onNewLine puts b below a.
func onNewLine(a, b string) string {
	if a == "" || b == "" || strings.HasSuffix(a, "\n") {
		return a + b
	}
	return a + "\n" + b
}
