package permission

import (
	"path/filepath"
	"slices"
	"strings"
)

// Unreadable returns the files and folders that rules for reading deny or ask about
// by a path from the root of the system or from the home folder, of those that there
// are now: what commands are not to see outside of the workspace. Folders are denied
// with all that is in them. A rule with ** before its end is left out.
func (p *Policy) Unreadable() []string {
	var all []string
	for _, d := range p.domains {
		set, _ := d.paths(p.tree, "read")
		for _, pattern := range set.patterns {
			if pattern.verdict != Allow && pattern.absolute {
				all = append(all, pattern.found(p.tree)...)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// found are the paths that there are of a pattern.
func (p pathPattern) found(t tree) []string {
	text := strings.TrimSuffix(strings.TrimSuffix(p.text, "/"), "/**")
	if rest, ok := strings.CutPrefix(text, "~/"); ok {
		text = join(t.home, rest)
	} else if text == "~" {
		text = t.home
	}
	if strings.Contains(text, "**") {
		return nil
	}
	found, err := filepath.Glob(strings.NewReplacer("\\", "\\\\", "[", "\\[").Replace(text))
	if err != nil {
		return nil
	}
	var real []string
	for _, path := range found {
		if path, err := filepath.EvalSymlinks(path); err == nil && path != "/" {
			real = append(real, path)
		}
	}
	return real
}
