package script

import (
	"slices"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/program"
)

// OnlyReads reports whether a part of a command changes nothing.
func (u *Unit) OnlyReads() bool {
	return u.Unsure == "" && u.Reading(func(g program.Risk) bool { return g.Level != program.WhenHeld })
}

// Reading reports whether a part changes nothing where none of its risks is one that
// says so.
func (u *Unit) Reading(isDoubt func(program.Risk) bool) bool {
	if u.Refused != "" || len(u.Writes) > 0 || slices.ContainsFunc(u.Risks(), isDoubt) {
		return false
	}
	if u.IsFile || len(u.Words) == 0 && u.NeedsNoRule {
		return true
	}
	return len(u.Words) > 0 && u.Words[0].Is(u.Name) && program.IsReader(u.Words)
}
