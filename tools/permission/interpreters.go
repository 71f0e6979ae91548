package permission

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/program"
)

// inputRisks finds that a program runs what it is fed.
func (w *walker) inputRisks(s simple) []program.Risk {
	if program.Named(program.ProgramName(s.words[0])).RunsInput && (w.feeding > 0 || len(s.inputs)+len(s.fed) > 0) {
		return []program.Risk{program.Unspellable("it runs what it is fed")}
	}
	return nil
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
