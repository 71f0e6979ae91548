package permission

import (
	"os"
	"slices"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
)

// Writable returns the files and folders in which every domain lets commands change
// something, absolute and without symlinks: what a sandbox has to leave writable so that
// it forbids nothing that the rules allow. It is wider than the rules, since a folder is
// open with all that is in it. A domain that allows every command, and does not say what
// may be written, opens the workspace.
func (p *Policy) Writable() []string {
	var open [][]string
	for _, d := range p.domains {
		open = append(open, d.writable())
	}
	return paths.CommonFolders(open...)
}

// writable returns the folders of the rules for writing, and the workspace if every
// command is allowed.
func (d *domain) writable() []string {
	var open []string
	t := d.roots
	set := &d.write
	if d.allCommands() != nil {
		open = append(open, t.Start())
	}
	if set.cap != nil && set.cap.Verdict == Deny {
		return open
	}
	if set.catchAll != nil && set.catchAll.Verdict != Deny {
		open = append(open, t.Start())
	}
	for _, pattern := range set.patterns {
		if pattern.Verdict != Deny {
			open = append(open, reached(pattern.Pattern, t)...)
		}
	}
	return paths.Outermost(open)
}

// reached returns the folder of a pattern, as far as it is where the step works: a link that leads
// out of there opens nothing.
func reached(pattern place.Pattern, t place.Roots) []string {
	if pattern.Absolute {
		return []string{pattern.Folder()}
	}
	return paths.CommonFolders([]string{pattern.Folder()}, []string{t.Start()})
}

// Unreadable returns the existing files and folders that read rules with an absolute
// pattern, or one from the home folder, deny or ask about, and the records of runs that no rule
// names: what commands must not see outside of the workspace. A folder stands for all that is in it. It returns an error if
// there are too many files to look at.
func (p *Policy) Unreadable() (all []string, err error) {
	for _, d := range p.domains {
		for _, rule := range d.read.patterns {
			if rule.Verdict == Allow || !rule.Absolute {
				continue
			}
			found, err := rule.Found(d.roots)
			if err != nil {
				return nil, err
			}
			all = append(all, found...)
		}
	}
	for _, dir := range p.roots.Records {
		entries, _ := os.ReadDir(dir) // where it can't be read, commands can't read it either
		for _, entry := range entries {
			if path := place.Join(dir, entry.Name()); !paths.Holds(p.roots.Start(), path) && p.hides(p.roots.Known(path)) {
				all = append(all, path)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}
