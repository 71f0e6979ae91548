package held

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/a-seed-11b9befa/flow/internal/folder"
)

// outside adds to a plan what is hidden outside of the workspace. If a folder that the
// command works in is in a hidden one, only what is beside it is hidden.
func (s *Space) outside(p *plan) error {
	if s.o.Outside == nil {
		return nil
	}
	s.mu.Lock()
	found, err := s.elsewhere.get(s.o.Outside)
	s.mu.Unlock()
	if err != nil {
		return err
	}
	programs, _ := s.run.o.Lookup("PATH")
	kept := slices.Concat(p.targets(), p.Direct, s.o.Reveal, filepath.SplitList(programs))
	var hide func(path string)
	hide = func(path string) {
		info, err := os.Lstat(path)
		if err != nil || folder.AnyHolds(kept, path) {
			return
		}
		inside := func(other string) bool { return other != path && folder.Holds(path, other) }
		switch {
		case !info.IsDir():
			if info.Mode().IsRegular() {
				p.Empty = append(p.Empty, path)
			}
		case slices.ContainsFunc(kept, inside):
			entries, _ := os.ReadDir(path) // a command can't list what this user can't
			for _, entry := range entries {
				hide(filepath.Join(path, entry.Name()))
			}
		default:
			p.Closed = append(slices.DeleteFunc(p.Closed, inside), path)
			p.Empty = slices.DeleteFunc(p.Empty, inside)
		}
	}
	for _, path := range found {
		if !folder.AnyHolds(p.Private, path) || folder.AnyHolds(p.Shown, path) {
			hide(path)
		}
	}
	p.outermost()
	return nil
}

// outermost removes hidden paths that are in a hidden folder.
func (p *plan) outermost() {
	p.Closed = folder.Outermost(p.Closed)
	closed := func(path string) bool { return folder.AnyHolds(p.Closed, path) }
	p.Empty, p.Sockets = slices.DeleteFunc(p.Empty, closed), slices.DeleteFunc(p.Sockets, closed)
	slices.Sort(p.Empty)
	p.Empty = slices.Compact(p.Empty)
}
