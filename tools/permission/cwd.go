package permission

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
)

// maxDirs bounds the directories that a command may be in at once.
const maxDirs = 8

// cwd is where a command may run: in any of some directories, or, when it is
// lost, anywhere.
type cwd struct {
	dirs []string // as the shell names them, absolute
	lost bool
}

// with returns the union of two states.
func (c cwd) with(other cwd) cwd {
	out := cwd{dirs: slices.Clone(c.dirs), lost: c.lost || other.lost}
	for _, dir := range other.dirs {
		if !slices.Contains(out.dirs, dir) {
			out.dirs = append(out.dirs, dir)
		}
	}
	if len(out.dirs) > maxDirs {
		out.dirs, out.lost = out.dirs[:maxDirs], true
	}
	return out
}

// away returns the state after the directory can no longer be told.
func (c cwd) away() cwd { return cwd{dirs: c.dirs, lost: true} }

// enter returns the state after cd, or false when the target may be outside the
// workspace. The shell resolves .. as text, the kernel does not: where they
// differ both count.
func (c cwd) enter(t place.Roots, target string) (cwd, bool) {
	var out cwd
	if c.lost && !strings.HasPrefix(target, "/") {
		return c, false
	}
	for _, dir := range c.dirs {
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
		out = out.with(cwd{dirs: []string{logical}})
		if asText.Canonical != physical.Canonical {
			out = out.with(cwd{dirs: []string{physical.Canonical}})
		}
	}
	out.lost = out.lost || c.lost && len(out.dirs) == 0
	return out, true
}

// outcome is where a shell is after a command: when it succeeded, and in any
// case.
type outcome struct{ ok, any cwd }

// stays returns the outcome of a command that does not change the directory.
func stays(c cwd) outcome { return outcome{c, c} }
