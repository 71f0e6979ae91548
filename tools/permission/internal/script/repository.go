package script

import (
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/program"
)

// noteRepository refuses to run git where it may take a directory for a bare
// repository: its config, which a write rule may cover, names programs to run.
func (w *walker) noteRepository(u *Unit, at Cwd) {
	if !program.Named(u.Name).RunsGit {
		return
	}
	for _, dir := range at.Dirs {
		to, err := w.roots.Resolve("/", dir)
		if err != nil || !to.Inside || w.roots.HoldsBareRepository(to.Canonical) {
			u.Refused = "git may take its directory for a bare repository"
			return
		}
		if to.Rel != "." {
			w.repositories = append(w.repositories, u)
		}
	}
}

// BareNames are what git looks for in a bare repository.
// Objects and references may also be elsewhere, where commondir says.
var BareNames = []string{"head", "objects", "refs", "commondir"}

// inWrittenRepository refuses git away from the root in a script that writes
// what a bare repository is made of.
func (w *walker) inWrittenRepository() {
	if len(w.repositories) == 0 || !slices.ContainsFunc(w.units, (*Unit).writesBare) {
		return
	}
	for _, u := range w.repositories {
		u.Refused = "the same command writes what git may take for a bare repository"
	}
}

func (u *Unit) writesBare() bool {
	return slices.ContainsFunc(u.Writes, func(t WriteTarget) bool {
		for _, path := range []string{t.Text, t.At.Given, t.At.Canonical} {
			for segment := range strings.SplitSeq(path, "/") {
				if slices.Contains(BareNames, pattern.Fold(segment)) {
					return true
				}
			}
		}
		return false
	})
}
