package permission

import "slices"

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
