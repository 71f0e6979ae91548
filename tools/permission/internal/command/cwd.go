package command

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
)

// maxDirs is how many directories a Cwd holds at most.
const maxDirs = 8

// Cwd is the working directory of a command, as far as it is known: one of Dirs, which are
// absolute, or any if it is Lost.
type Cwd struct {
	Dirs []string
	Lost bool
}

// or returns the union of two states.
func (c Cwd) or(other Cwd) Cwd {
	out := Cwd{Dirs: slices.Clone(c.Dirs), Lost: c.Lost || other.Lost}
	for _, dir := range other.Dirs {
		if !slices.Contains(out.Dirs, dir) {
			out.Dirs = append(out.Dirs, dir)
		}
	}
	if len(out.Dirs) > maxDirs {
		out.Dirs, out.Lost = out.Dirs[:maxDirs], true
	}
	return out
}

// away returns the state in which the directory is no longer known.
func (c Cwd) away() Cwd { return Cwd{Dirs: c.Dirs, Lost: true} }

// enter returns the state after cd, or false if the target may be outside of the workspace.
// The shell resolves .. as text, the kernel does not: where the results differ the
// directory may be either.
func (c Cwd) enter(t place.Roots, target string) (out Cwd, ok bool) {
	if c.Lost && !strings.HasPrefix(target, "/") {
		return c, false
	}
	for _, dir := range c.Dirs {
		logical := filepath.Clean(target)
		if !strings.HasPrefix(target, "/") {
			logical = filepath.Join(dir, target)
		}
		for _, path := range []string{logical, target} {
			at, err := t.Resolve(dir, path)
			if err != nil || !at.Inside || at.Info != nil && !at.IsDir() {
				return c, false
			}
			if path == logical {
				at.Canonical = logical
			}
			out = out.or(Cwd{Dirs: []string{at.Canonical}})
		}
	}
	return out, true
}
