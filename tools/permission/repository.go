package permission

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
)

// noteRepository refuses to run git where it may take a directory for a bare
// repository: its config, which a write rule may cover, names programs to run.
func (w *walker) noteRepository(u *unit, at cwd) {
	if !named(u.name).runsGit {
		return
	}
	for _, dir := range at.dirs {
		to, err := w.tree.resolve("/", dir)
		if err != nil || !to.inside || w.tree.holdsBareRepository(to.canonical) {
			u.never = "git may take its directory for a bare repository"
			return
		}
		if to.rel != "." {
			w.repositories = append(w.repositories, u)
		}
	}
}

// holdsBareRepository reports whether git may find a bare repository on its way
// from a directory up to the workspace root. In the root .git comes first.
func (t tree) holdsBareRepository(dir string) bool {
	for ; dir != t.root; dir = filepath.Dir(dir) {
		if isBareRepository(dir) {
			return true
		}
		if dir == filepath.Dir(dir) {
			return true
		}
	}
	_, err := os.Lstat(join(dir, ".git"))
	return err != nil && isBareRepository(dir)
}

// bareNames are what git looks for in a bare repository.
// Objects and references may also be elsewhere, where commondir says.
var bareNames = []string{"head", "objects", "refs", "commondir"}

func isBareRepository(dir string) bool { return isBareWith(dir, "") }

// isBareWith reports whether a directory is a bare repository once it has one more
// name in it, which is folded.
func isBareWith(dir, more string) bool {
	has := func(name string) bool {
		_, err := os.Lstat(join(dir, name))
		return err == nil || pattern.Fold(name) == more
	}
	return has("HEAD") && (has("commondir") || has("objects") && has("refs"))
}

// inWrittenRepository refuses git away from the root in a script that writes
// what a bare repository is made of.
func (w *walker) inWrittenRepository() {
	if len(w.repositories) == 0 || !slices.ContainsFunc(w.units, (*unit).writesBare) {
		return
	}
	for _, u := range w.repositories {
		u.never = "the same command writes what git may take for a bare repository"
	}
}

func (u *unit) writesBare() bool {
	return slices.ContainsFunc(u.writes, func(t writeTarget) bool {
		for _, path := range []string{t.text, t.at.given, t.at.canonical} {
			for segment := range strings.SplitSeq(path, "/") {
				if slices.Contains(bareNames, pattern.Fold(segment)) {
					return true
				}
			}
		}
		return false
	})
}

// makesBare reports whether a file that is written would complete a bare
// repository, or configure it: git, run there by anybody, does what its config says.
func (p *Policy) makesBare(at place) bool {
	for dir := at.canonical; dir != p.tree.root && dir != "/" && dir != "."; dir = filepath.Dir(dir) {
		switch name := pattern.Fold(filepath.Base(dir)); {
		case slices.Contains(bareNames, name):
		case name == "config" || name == "config.worktree" || name == "hooks": // of one that is there
		default:
			continue
		}
		if isBareWith(filepath.Dir(dir), pattern.Fold(filepath.Base(dir))) {
			return true
		}
	}
	return false
}
