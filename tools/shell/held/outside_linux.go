package held

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/a-seed-11b9befa/flow/internal/folder"
)

// outside adds to a plan what is hidden outside of the workspace. What a command
// works in stays, though the folder around it is hidden: then all beside it is.
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
	kept := slices.Concat(p.targets(), s.o.Reveal, filepath.SplitList(programs))
	var hide func(path string)
	hide = func(path string) {
		info, err := os.Lstat(path)
		if err != nil || slices.ContainsFunc(kept, func(k string) bool { return folder.Holds(k, path) }) {
			return
		}
		inside := func(other string) bool { return other != path && folder.Holds(path, other) }
		switch {
		case !info.IsDir():
			if info.Mode().IsRegular() {
				p.Empty = append(p.Empty, path)
			}
		case slices.ContainsFunc(kept, inside):
			entries, _ := os.ReadDir(path) // what this user can't list, a command can't either
			for _, entry := range entries {
				hide(filepath.Join(path, entry.Name()))
			}
		default:
			p.Closed = append(slices.DeleteFunc(p.Closed, inside), path)
			p.Empty = slices.DeleteFunc(p.Empty, inside)
		}
	}
	for _, path := range found {
		holds := func(around string) bool { return folder.Holds(around, path) }
		if !slices.ContainsFunc(p.Private, holds) || slices.ContainsFunc(p.Shown, holds) {
			hide(path)
		}
	}
	p.outermost()
	return nil
}

// outermost leaves out of what is hidden what is in a folder that is.
func (p *plan) outermost() {
	p.Closed = folder.Outermost(p.Closed)
	closed := func(path string) bool {
		return slices.ContainsFunc(p.Closed, func(around string) bool { return folder.Holds(around, path) })
	}
	p.Empty, p.Sockets = slices.DeleteFunc(p.Empty, closed), slices.DeleteFunc(p.Sockets, closed)
	slices.Sort(p.Empty)
	p.Empty = slices.Compact(p.Empty)
}
