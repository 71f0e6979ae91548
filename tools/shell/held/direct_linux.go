package held

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/folder"
)

// addDirect adds to a plan what the command changes directly, with mounts over what stays as
// it is in there.
func (v *View) addDirect(p *plan) {
	s := v.space
	kept := slices.Clone(s.o.Protected)
	if !v.call.ReadOnly {
		if s.run.o.KeepCaches {
			for _, c := range s.run.caches {
				p.Direct = append(p.Direct, c.root)
			}
		}
		p.show(kept)
		return
	}
	kept = append(kept, filepath.Join(s.o.Root, ".git"), filepath.Join(s.o.Root, ".flow"))
	for path := range v.hidden {
		rel, _ := filepath.Rel(s.o.Root, path)
		if i := gitSegment(rel); i >= 0 { // the configuration of a repository is hidden
			kept = append(kept, filepath.Join(s.o.Root, filepath.Join(strings.Split(rel, "/")[:i+1]...)))
		}
	}
	p.Direct = slices.DeleteFunc(folder.Common(v.call.Direct, append(slices.Clone(v.others), s.o.Root)), func(path string) bool {
		_, err := os.Stat(path)
		return covers(v.hidden, path) || err != nil || folder.AnyHolds(kept, path)
	})
	p.show(kept)
	for path := range v.hidden {
		if folder.AnyHolds(p.Direct, path) {
			p.hide(path)
		}
	}
}

// show lets the command read what is in the folders that it changes directly.
func (p *plan) show(paths []string) {
	for _, path := range folder.Outermost(paths) {
		if folder.AnyHolds(p.Direct, path) {
			p.Shown = append(p.Shown, path)
		}
	}
}

// hide empties a file or a folder. Of a symlink it empties the file that it leads to.
func (p *plan) hide(path string) {
	info, err := os.Lstat(path)
	switch {
	case err != nil: // it has gone
	case info.IsDir():
		p.Closed = append(p.Closed, path)
	case info.Mode()&os.ModeSymlink == 0:
		p.Empty = append(p.Empty, path)
	default:
		real, err := filepath.EvalSymlinks(path)
		if info, statErr := os.Stat(path); err == nil && statErr == nil && info.Mode().IsRegular() {
			p.Empty = append(p.Empty, real)
		}
	}
}
