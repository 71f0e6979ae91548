package workflows

import (
	"fmt"
	"strconv"

	"github.com/goccy/go-yaml/token"
)

// maxDiagnostics is how many mistakes are listed. A file with more is most
// likely no workflow at all.
const maxDiagnostics = 500

// maxMessage is how many characters of a message are shown: what it quotes may be
// long.
const maxMessage = 400

// A report collects what is wrong.
type report struct {
	found []*Diagnostic
	last  *walk // through the scalar of the last mistake; the next is often in it, too
}

// full reports whether no more mistakes are kept.
func (r *report) full() bool { return len(r.found) >= maxDiagnostics }

// place gives the place of a byte of a scalar's text.
func (r *report) place(n *node, offset int) Position {
	if r.last == nil || r.last.node != n || offset < len(n.text)-len(r.last.text) {
		r.last = newWalk(n)
	}
	return r.last.to(offset)
}

// add keeps a diagnostic, unless there are too many already. What it returns
// may still be changed.
func (r *report) add(d *Diagnostic) *Diagnostic {
	if !r.full() {
		r.found = append(r.found, d)
	}
	return d
}

// errorf reports an error at a node. The caller may add a hint to what it
// returns.
func (r *report) errorf(n *node, code, format string, args ...any) *Diagnostic {
	return r.add(&Diagnostic{
		File: n.src.file, Line: n.line, Column: n.column, Length: n.length(),
		Severity: SeverityError, Code: code, Message: fmt.Sprintf(format, args...),
		Source: n.src.line(n.line),
	})
}

// warnf reports, at a node, what is right but can't be meant.
func (r *report) warnf(n *node, code, format string, args ...any) *Diagnostic {
	d := r.errorf(n, code, format, args...)
	d.Severity = SeverityWarning
	return d
}

// errorWithin reports an error at a byte of a scalar's text.
func (r *report) errorWithin(n *node, offset, length int, code, format string, args ...any) *Diagnostic {
	full := r.full()
	d := r.errorf(n, code, format, args...)
	if full {
		return d
	}
	at := r.place(n, offset)
	d.Line, d.Column, d.Length, d.Source = at.Line, at.Column, length, n.src.line(at.Line)
	return d
}

// errorAt reports an error at a place for which there is no node.
func (r *report) errorAt(src *source, at *token.Position, code, format string, args ...any) *Diagnostic {
	line := min(max(at.Line, 1), len(src.starts)) // an open quote ends behind the last line
	return r.add(&Diagnostic{
		File: src.file, Line: line, Column: max(at.Column, 1), Length: 1,
		Severity: SeverityError, Code: code, Message: fmt.Sprintf(format, args...),
		Source: src.line(line),
	})
}

// diagnostics gives what was found, sorted.
func (r *report) diagnostics() Diagnostics {
	ds := make(Diagnostics, len(r.found))
	for i, d := range r.found {
		ds[i] = *d
		ds[i].Message, ds[i].Hint = clip(d.Message, maxMessage), clip(d.Hint, maxMessage)
	}
	return ds.Sorted()
}

// thousands writes a number with a comma between groups of three digits.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
