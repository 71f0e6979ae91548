package held

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/tools/internal/restrict"
)

// plan returns the plan of the view.
func (v *View) plan() (plan, error) {
	s := v.space
	p := plan{File: filepath.Join(s.store.path, "file"), Folder: filepath.Join(s.store.path, "folder")}
	p.Overlays = slices.Concat(v.below, v.uppers, v.caches)
	p.Private = s.run.private()
	p.Shown = append(s.shown(p.Private), v.call.Show...)
	if v.call.ReadOnly {
		p.Shown = append(p.Shown, v.others...)
	}
	v.addDirect(&p)
	p.Hidden = append(p.Hidden, s.store.base)
	p.Hidden = append(p.Hidden, Secrets(s.run.o.Home, s.o.Root, s.o.Reveal)...)
	if !v.knowsPasswords() {
		p.Hidden = append(p.Hidden, s.includedPasswords()...)
	}
	p.Hidden = append(p.Hidden, s.sockets(p)...)
	err := s.hideOutside(&p)
	p.Hidden = paths.Outermost(p.Hidden)
	return p, err
}

// addDirect adds to a plan what the command changes directly, with mounts over what stays as
// it is in there.
func (v *View) addDirect(p *plan) {
	s := v.space
	kept := slices.Clone(s.o.Protected)
	if !v.call.ReadOnly {
		if s.run.o.KeepCaches {
			for _, o := range s.run.caches {
				p.Direct = append(p.Direct, o.targets()...)
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
	p.Direct = slices.DeleteFunc(paths.CommonFolders(v.call.Direct, append(slices.Clone(v.others), s.o.Root)), func(path string) bool {
		_, err := os.Stat(path)
		return covers(v.hidden, path) || err != nil || paths.AnyHolds(kept, path)
	})
	p.show(kept)
	for path := range v.hidden {
		if real, err := filepath.EvalSymlinks(path); err == nil && paths.AnyHolds(p.Direct, path) {
			p.Hidden = append(p.Hidden, real)
		}
	}
}

// show lets the command read what is in the folders that it changes directly.
func (p *plan) show(shown []string) {
	for _, path := range paths.Outermost(shown) {
		if paths.AnyHolds(p.Direct, path) {
			p.Shown = append(p.Shown, path)
		}
	}
}

// private returns the folders of which each command has its own. Other programs have
// sockets in them.
func (r *Run) private() []string {
	all := []string{"/tmp", "/var/tmp", "/run"}
	if value, _ := r.o.Lookup("XDG_RUNTIME_DIR"); filepath.IsAbs(value) {
		all = append(all, filepath.Clean(value))
	}
	return paths.Outermost(all)
}

// shown returns what a command needs of the private folders: folders that its environment
// names, the configuration with which it looks up hosts, and what is to be revealed.
func (s *Space) shown(private []string) (all []string) {
	path, _ := s.run.o.Lookup("PATH")
	wanted := slices.Concat(filepath.SplitList(path), []string{s.run.o.Home}, s.o.Reveal)
	if real, err := filepath.EvalSymlinks("/etc/resolv.conf"); err == nil {
		wanted = append(wanted, real)
	}
	for _, path := range wanted {
		if filepath.IsAbs(path) && paths.AnyHolds(private, path) && !slices.Contains(private, path) {
			all = append(all, filepath.Clean(path))
		}
	}
	return all
}

// hideOutside hides what the policy hides outside of the workspace. If a folder that the command works in
// is in a hidden one, only what is beside it is hidden.
func (s *Space) hideOutside(p *plan) error {
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
		switch {
		case paths.AnyHolds(kept, path):
		case slices.ContainsFunc(kept, func(other string) bool { return paths.Holds(path, other) }):
			entries, _ := os.ReadDir(path) // a command can't list what this user can't
			for _, entry := range entries {
				hide(filepath.Join(path, entry.Name()))
			}
		default:
			p.Hidden = append(p.Hidden, path)
		}
	}
	for _, path := range found {
		if !paths.AnyHolds(p.Private, path) || paths.AnyHolds(p.Shown, path) {
			hide(path)
		}
	}
	return nil
}

// restrict keeps this thread, and the command that it starts, from what mounts can't keep
// it from: abstract sockets, signals to processes outside, and named pipes, which can be
// written even on read-only mounts. An old kernel, or one without Landlock, can do less.
func (p *plan) restrict() error {
	version, err := restrict.LandlockVersion()
	if err != nil {
		return nil
	}
	if version >= 2 { // version 1 forbids moving files to another folder
		writable := slices.Concat([]string{"/dev", "/proc"}, p.Private, p.targets(), p.Direct)
		if err := restrict.Changing(version, writable); err != nil {
			return fmt.Errorf("files: %w", err)
		}
	}
	if hidden := p.covered(); len(hidden) > 0 {
		_ = restrict.Reading(version, hidden, p.covers...)
	}
	return nil
}

// covered returns the paths that are hidden by a mount, which goes away when their program
// replaces the file. In a folder that the command changes, that can't happen.
func (p *plan) covered() []string {
	own := slices.Concat(p.Private, p.targets(), p.Direct)
	return slices.DeleteFunc(slices.Clone(p.Hidden), func(path string) bool { return paths.AnyHolds(own, path) })
}
