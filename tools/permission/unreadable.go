package permission

import (
	"slices"
)

// Unreadable returns the files and folders that rules for reading deny or ask about
// by a path from the root of the system or from the home folder, of those that there
// are now: what commands are not to see outside of the workspace. Folders are denied
// with all that is in them. A rule with ** before its end is left out.
func (p *Policy) Unreadable() []string {
	var all []string
	for _, d := range p.domains {
		set, _ := d.paths(p.roots, "read")
		for _, rule := range set.patterns {
			if rule.verdict != Allow && rule.Absolute {
				all = append(all, rule.Found(p.roots)...)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
