package script

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
)

// MaxDirs bounds the directories that a command may be in at once.
const MaxDirs = 8

// Cwd is where a command may run: in any of some directories, or, when it is
// Lost, anywhere.
type Cwd struct {
	Dirs []string // as the shell names them, absolute
	Lost bool
}

// with returns the union of two states.
func (c Cwd) with(other Cwd) Cwd {
	out := Cwd{Dirs: slices.Clone(c.Dirs), Lost: c.Lost || other.Lost}
	for _, dir := range other.Dirs {
		if !slices.Contains(out.Dirs, dir) {
			out.Dirs = append(out.Dirs, dir)
		}
	}
	if len(out.Dirs) > MaxDirs {
		out.Dirs, out.Lost = out.Dirs[:MaxDirs], true
	}
	return out
}

// away returns the state after the directory can no longer be told.
func (c Cwd) away() Cwd { return Cwd{Dirs: c.Dirs, Lost: true} }

// enter returns the state after cd, or false when the target may be outside the
// workspace. The shell resolves .. as text, the kernel does not: where they
// differ both count.
func (c Cwd) enter(t place.Roots, target string) (Cwd, bool) {
	var out Cwd
	if c.Lost && !strings.HasPrefix(target, "/") {
		return c, false
	}
	for _, dir := range c.Dirs {
		logical := target
		if !strings.HasPrefix(target, "/") {
			logical = dir + "/" + target
		}
		logical = filepath.Clean(logical)
		physical, err := t.Resolve(dir, target)
		if err != nil || !physical.Inside || physical.Info != nil && !physical.IsDir() {
			return c, false
		}
		asText, err := t.Resolve("/", logical)
		if err != nil || !asText.Inside {
			return c, false
		}
		out = out.with(Cwd{Dirs: []string{logical}})
		if asText.Canonical != physical.Canonical {
			out = out.with(Cwd{Dirs: []string{physical.Canonical}})
		}
	}
	out.Lost = out.Lost || c.Lost && len(out.Dirs) == 0
	return out, true
}

// outcome is where a shell is after a command: when it succeeded, and in any
// case.
type outcome struct{ succeeded, either Cwd }

// stays returns the outcome of a command that does not change the directory.
func stays(c Cwd) outcome { return outcome{c, c} }
