package permission

import (
	"slices"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/program"
)

// onlyReads reports whether a part of a command changes nothing.
func (u *unit) onlyReads() bool {
	return u.unsure == "" && u.reading(func(g program.Risk) bool { return g.Level != program.WhenHeld })
}

// reading reports whether a part changes nothing where none of its risks is one that
// says so.
func (u *unit) reading(isDoubt func(program.Risk) bool) bool {
	if u.refused != "" || len(u.writes) > 0 || slices.ContainsFunc(u.risks(), isDoubt) {
		return false
	}
	if u.isFile || len(u.words) == 0 && u.needsNoRule {
		return true
	}
	return len(u.words) > 0 && u.words[0].Is(u.name) && program.IsReader(u.words)
}
