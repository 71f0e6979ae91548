package permission

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Writable returns the files and folders below which every domain lets commands
// change something, absolute and without links: what a sandbox has to leave open
// so that it forbids nothing that the rules allow. It is wider than the rules,
// since a folder is open with all that is in it. A domain that allows every
// command opens the workspace.
func (p *Policy) Writable() []string {
	var open []string
	for i, d := range p.domains {
		roots := d.writable(p.tree)
		if i > 0 {
			roots = Common(open, roots)
		}
		open = roots
	}
	return open
}

// writable are the folders of the rules for writing, and the workspace where no
// rule for commands restricts what they do.
func (d *domain) writable(t tree) []string {
	var roots []string
	if restriction, standIn := d.gate("bash"); restriction == nil {
		if all := d.shell(standIn).catchAll; all != nil && all.Verdict != Deny {
			roots = append(roots, t.root)
		}
	}
	set, restriction := d.paths(t, "write")
	if restriction != nil && restriction.verdict == Deny {
		return roots
	}
	if set.catchAll != nil && set.catchAll.Verdict != Deny {
		roots = append(roots, t.root)
	}
	for _, pattern := range set.patterns {
		if pattern.verdict != Deny {
			roots = append(roots, pattern.root(t))
		}
	}
	return outermost(roots)
}

// root returns the deepest folder that holds all that a pattern can name, or the
// one file that it names. What does not exist yet is reached by its parent.
func (p pathPattern) root(t tree) string {
	text := p.fixed()
	if !p.absolute {
		text = join(t.root, text)
	}
	for {
		if real, err := filepath.EvalSymlinks(text); err == nil {
			return real
		}
		if _, err := os.Lstat(text); err == nil || filepath.Dir(text) == text {
			return text // a link that leads nowhere
		}
		text = filepath.Dir(text)
	}
}

// fixed is the part of a pattern before the segment of its first wildcard.
func (p pathPattern) fixed() string {
	if p.spelled != "" {
		return p.spelled
	}
	var text strings.Builder
	for _, a := range p.atoms {
		if a.wild != 0 {
			break
		}
		text.WriteRune(a.char)
	}
	end := strings.LastIndexByte(text.String(), '/')
	return text.String()[:max(end, 0)]
}

// Common returns the files and folders that are inside of both lists of what is
// open, without those that are inside of another.
func Common(a, b []string) []string {
	var both []string
	for _, x := range a {
		for _, y := range b {
			switch {
			case isBelow(x, y):
				both = append(both, x)
			case isBelow(y, x):
				both = append(both, y)
			}
		}
	}
	return outermost(both)
}

// outermost leaves out what is inside of another.
func outermost(paths []string) []string {
	slices.Sort(paths)
	var out []string
	for _, path := range slices.Compact(paths) {
		if len(out) == 0 || !isBelow(path, out[len(out)-1]) {
			out = append(out, path)
		}
	}
	return out
}

func isBelow(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, strings.TrimSuffix(folder, "/")+"/")
}
