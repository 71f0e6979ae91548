package script

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/program"
)

// inputRisks finds that a program runs what it is fed.
func (w *walker) inputRisks(s simple) []program.Risk {
	if program.Named(program.NameOf(s.words[0])).RunsInput && (w.feeding > 0 || len(s.inputs) > 0 || s.fed) {
		return []program.Risk{program.Unspellable("it runs what it is fed")}
	}
	return nil
}

// isFed reports whether a statement has a here-document or a here-string.
func isFed(stmt *syntax.Stmt) bool {
	return slices.ContainsFunc(stmt.Redirs, func(r *syntax.Redirect) bool { return r.Hdoc != nil || r.Op == syntax.WordHdoc })
}

// feeds reports whether a redirect gives a command something to read.
func feeds(stmt *syntax.Stmt) bool {
	return slices.ContainsFunc(stmt.Redirs, func(r *syntax.Redirect) bool {
		switch r.Op {
		case syntax.RdrIn, syntax.RdrInOut, syntax.DplIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
			return true
		}
		return false
	})
}

// isFilter reports whether a command at the end of a pipe does nothing but read
// what it is fed: it names no file, and its options neither.
func isFilter(s simple) bool {
	if !s.piped || len(s.inputs)+len(s.assigns) > 0 {
		return false
	}
	f := program.Named(s.words[0].Text).Filter
	return f != nil && program.OnlyOptions(s.words[1:], f.Options, f.Sets)
}
