package permission

import (
	"os"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/folder"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
)

// IsSecret reports whether a path names a file that holds secrets, as far as names
// say: one that no wildcard of a rule lets be read.
func IsSecret(path string) bool { return place.IsSecret(path) }

// whyNotWritten returns why no rule can allow a write, or "".
func (p *Policy) whyNotWritten(path string, at place.Path) string {
	switch {
	case strings.ContainsRune(path, '\\'):
		return "it holds a backslash"
	case at.Slash:
		return "it ends in a slash"
	}
	if why := place.Unwritable(path); why != "" {
		return why
	}
	checked := at.Canonical
	if at.Inside {
		checked = at.Rel
	}
	if why := place.Unwritable(checked); why != "" {
		return why
	}
	if at.Inside && p.makesBare(at) {
		return "git would take the folder for a bare repository"
	}
	if p.isProtected(at) {
		return "it belongs to the run, and is never writable"
	}
	if at.Info != nil && at.Info.Mode().IsRegular() && place.HardLinks(at.Info) > 1 {
		return "the file has more than one name (hard links)"
	}
	return ""
}

// isProtected reports whether a place is one of Config.Protected, or in one,
// also under another name that the file system takes for the same.
func (p *Policy) isProtected(at place.Path) bool {
	canonical, given := pattern.Fold(at.Canonical), pattern.Fold(at.Given)
	for _, file := range p.protected {
		if folder.Holds(file.folded, canonical) || folder.Holds(file.folded, given) {
			return true
		}
		if at.Info == nil {
			continue
		}
		if info, err := os.Stat(file.path); err == nil && os.SameFile(info, at.Info) {
			return true
		}
	}
	return false
}

// A protectedFile is one of Config.Protected.
type protectedFile struct{ path, folded string }

// CheckPath returns why no rule and no call can name a path, as the end of a
// sentence that begins with the path.
func CheckPath(path string) error { return place.CheckPath(path) }
