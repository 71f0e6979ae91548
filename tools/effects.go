package tools

import (
	"slices"

	"github.com/a-seed-11b9befa/flow/internal/paths"
)

// Effects are the paths that a call touches, absolute and clean. A folder includes all that
// is in it. The zero value touches nothing.
type Effects struct {
	Reads  []string
	Writes []string
	All    bool // it may read and write anything
}

// Everything returns the effects of a call of which nothing is known.
func Everything() Effects { return Effects{All: true} }

// Conflict reports whether the order of two calls matters: one writes what the other reads
// or writes.
func (e Effects) Conflict(f Effects) bool {
	if e.All {
		return f.touches()
	}
	if f.All {
		return e.touches()
	}
	return overlap(e.Writes, f.Writes) || overlap(e.Writes, f.Reads) || overlap(e.Reads, f.Writes)
}

func (e Effects) touches() bool {
	return e.All || len(e.Reads) > 0 || len(e.Writes) > 0
}

func overlap(a, b []string) bool {
	for _, p := range a {
		if slices.ContainsFunc(b, func(q string) bool { return paths.Holds(q, p) || paths.Holds(p, q) }) {
			return true
		}
	}
	return false
}
