package permission

import (
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/program"
)

// isFilter reports whether a command at the end of a pipe does nothing but read
// what it is fed: it names no file, and its options neither.
func isFilter(s simple) bool {
	if !s.piped || len(s.inputs)+len(s.assigns) > 0 {
		return false
	}
	f := program.Named(s.words[0].Text).Filter
	return f != nil && program.OnlyOptions(s.words[1:], f.Options, f.Sets)
}
