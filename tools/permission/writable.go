package permission

import (
	"slices"

	"github.com/a-seed-11b9befa/flow/internal/folder"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
)

// Writable returns the files and folders below which every domain lets commands
// change something, absolute and without links: what a sandbox has to leave open
// so that it forbids nothing that the rules allow. It is wider than the rules,
// since a folder is open with all that is in it. A domain that allows every
// command, and does not say what may be written, opens the workspace.
func (p *Policy) Writable() []string {
	var open []string
	for i, d := range p.domains {
		roots := d.writable(p.roots)
		if i > 0 {
			roots = folder.Common(open, roots)
		}
		open = roots
	}
	return open
}

// writable are the folders of the rules for writing, and the workspace where every
// command is allowed.
func (d *domain) writable(t place.Roots) []string {
	var roots []string
	set, restriction := d.paths(t, "write")
	if d.allCommands(set) != nil {
		roots = append(roots, t.Start())
	}
	if restriction != nil && restriction.verdict == Deny {
		return roots
	}
	if set.catchAll != nil && set.catchAll.Verdict != Deny {
		roots = append(roots, t.Start())
	}
	for _, pattern := range set.patterns {
		if pattern.verdict != Deny {
			roots = append(roots, reached(pattern.Pattern, t)...)
		}
	}
	return folder.Outermost(roots)
}

// reached is the folder of a pattern, as far as the step works in it.
func reached(pattern place.Pattern, t place.Roots) []string {
	open := []string{pattern.Folder(t)}
	if !pattern.Absolute && !folder.Holds(t.Workspace, open[0]) {
		return nil // a link that leads out of the workspace opens nothing there
	}
	if t.Part == "" || pattern.Absolute {
		return open
	}
	return folder.Common(open, []string{t.Part})
}

// Unreadable returns the files and folders that rules for reading deny or ask about
// by a path from the root of the system or from the home folder, of those that there
// are now: what commands are not to see outside of the workspace. Folders are denied
// with all that is in them. An error says that it takes too long to find them.
func (p *Policy) Unreadable() (all []string, err error) {
	for _, d := range p.domains {
		set, _ := d.paths(p.roots, "read")
		for _, rule := range set.patterns {
			if rule.verdict == Allow || !rule.Absolute {
				continue
			}
			found, err := rule.Found(p.roots)
			if err != nil {
				return nil, err
			}
			all = append(all, found...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}
