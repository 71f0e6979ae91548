package permission

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/folder"
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
			roots = folder.Common(open, roots)
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
	return folder.Outermost(roots)
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
		if a.Wild != 0 {
			break
		}
		text.WriteRune(a.Char)
	}
	end := strings.LastIndexByte(text.String(), '/')
	return text.String()[:max(end, 0)]
}
