package tree

import (
	"fmt"
	"slices"

	"github.com/goccy/go-yaml/token"

	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

const (
	maxDiagnostics = 500   // a file with more is most likely no workflow at all
	maxMessage     = 1_000 // characters: what a message quotes may be long
)

// A Report collects the mistakes in some files.
type Report struct {
	Found []*diagnostic.Diagnostic
	node  *Node // of the last mistake in a scalar; the next is often in the same
	last  place // in it
}

// Full reports whether the report takes no more mistakes.
func (r *Report) Full() bool { return len(r.Found) >= maxDiagnostics }

// position is [Node.At], faster for positions in the same scalar one behind the other.
func (r *Report) position(n *Node, offset int) diagnostic.Position {
	if r.node != n || offset < r.last.offset {
		r.node, r.last = n, n.start()
	}
	r.last = n.move(r.last, offset)
	return n.position(r.last)
}

// Add adds a diagnostic, unless the report is full. The caller may still change what it
// returns.
func (r *Report) Add(d *diagnostic.Diagnostic) *diagnostic.Diagnostic {
	if !r.Full() {
		r.Found = append(r.Found, d)
	}
	return d
}

// ReportedAt reports whether there is a mistake at a node.
func (r *Report) ReportedAt(n *Node) bool {
	return slices.ContainsFunc(r.Found, func(d *diagnostic.Diagnostic) bool {
		return d.File == n.Src.File && d.Line == n.Line && d.Column == n.Column
	})
}

// Errorf reports an error at a node. The caller may add a hint to the result.
func (r *Report) Errorf(n *Node, code, format string, args ...any) *diagnostic.Diagnostic {
	return r.Add(&diagnostic.Diagnostic{
		File: n.Src.File, Line: n.Line, Column: n.Column, Length: n.length(),
		Severity: diagnostic.SeverityError, Code: code, Message: fmt.Sprintf(format, args...),
		Source: n.Src.line(n.Line),
	})
}

// Warnf reports a warning at a node: what is valid, but most likely not meant.
func (r *Report) Warnf(n *Node, code, format string, args ...any) *diagnostic.Diagnostic {
	d := r.Errorf(n, code, format, args...)
	d.Severity = diagnostic.SeverityWarning
	return d
}

// ErrorWithin reports an error at a byte of a scalar's text, of length characters.
func (r *Report) ErrorWithin(n *Node, offset, length int, code, format string, args ...any) *diagnostic.Diagnostic {
	full := r.Full()
	d := r.Errorf(n, code, format, args...)
	if full {
		return d
	}
	at := r.position(n, offset)
	d.Line, d.Column, d.Length, d.Source = at.Line, at.Column, length, n.Src.line(at.Line)
	return d
}

// errorAt reports an error at a position without a node.
func (r *Report) errorAt(src *Source, at *token.Position, code, format string, args ...any) *diagnostic.Diagnostic {
	line := min(max(at.Line, 1), src.Lines()) // an open quote ends behind the last line
	return r.Add(&diagnostic.Diagnostic{
		File: src.File, Line: line, Column: max(at.Column, 1), Length: 1,
		Severity: diagnostic.SeverityError, Code: code, Message: fmt.Sprintf(format, args...),
		Source: src.line(line),
	})
}

// Diagnostics returns the mistakes, sorted, their messages shortened.
func (r *Report) Diagnostics() diagnostic.Diagnostics {
	ds := make(diagnostic.Diagnostics, len(r.Found))
	for i, d := range r.Found {
		ds[i] = *d
		ds[i].Message, ds[i].Hint = Clip(d.Message, maxMessage), Clip(d.Hint, maxMessage)
	}
	return ds.Sorted()
}
