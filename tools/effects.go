package tools

import (
	"path/filepath"
	"strings"
)

// Effects are the paths that a call touches, absolute and clean. A folder
// stands for all that is in it. The zero value touches nothing.
type Effects struct {
	Reads  []string
	Writes []string
	All    bool // nothing is known: it may read and write anything
}

// Everything is the effect of a call of which nothing is known.
func Everything() Effects { return Effects{All: true} }

// Conflict reports whether the order of two calls matters: one writes what the
// other touches.
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
		for _, q := range b {
			if within(p, q) || within(q, p) {
				return true
			}
		}
	}
	return false
}

func within(path, folder string) bool {
	rest, ok := strings.CutPrefix(path, folder)
	return ok && (rest == "" || folder == string(filepath.Separator) || rest[0] == filepath.Separator)
}
