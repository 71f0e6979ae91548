package permission

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/program"
)

// noteRepository refuses to run git where it may take a directory for a bare
// repository: its config, which a write rule may cover, names programs to run.
func (w *walker) noteRepository(u *unit, at cwd) {
	if !program.Named(u.name).RunsGit {
		return
	}
	for _, dir := range at.dirs {
		to, err := w.roots.Resolve("/", dir)
		if err != nil || !to.Inside || w.roots.HoldsBareRepository(to.Canonical) {
			u.refused = "git may take its directory for a bare repository"
			return
		}
		if to.Rel != "." {
			w.repositories = append(w.repositories, u)
		}
	}
}

// bareNames are what git looks for in a bare repository.
// Objects and references may also be elsewhere, where commondir says.
var bareNames = []string{"head", "objects", "refs", "commondir"}

// inWrittenRepository refuses git away from the root in a script that writes
// what a bare repository is made of.
func (w *walker) inWrittenRepository() {
	if len(w.repositories) == 0 || !slices.ContainsFunc(w.units, (*unit).writesBare) {
		return
	}
	for _, u := range w.repositories {
		u.refused = "the same command writes what git may take for a bare repository"
	}
}

func (u *unit) writesBare() bool {
	return slices.ContainsFunc(u.writes, func(t writeTarget) bool {
		for _, path := range []string{t.text, t.at.Given, t.at.Canonical} {
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
func (p *Policy) makesBare(at place.Path) bool {
	for dir := at.Canonical; dir != p.roots.Workspace && dir != "/" && dir != "."; dir = filepath.Dir(dir) {
		switch name := pattern.Fold(filepath.Base(dir)); {
		case slices.Contains(bareNames, name):
		case name == "config" || name == "config.worktree" || name == "hooks": // of one that is there
		default:
			continue
		}
		if place.IsBareWith(filepath.Dir(dir), pattern.Fold(filepath.Base(dir))) {
			return true
		}
	}
	return false
}
