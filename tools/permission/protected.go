package permission

import (
	"io/fs"
	"os"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/folder"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
)

// writeNever returns why no rule can allow a write, or "".
func (p *Policy) writeNever(path string, at place) string {
	switch {
	case strings.ContainsRune(path, '\\'):
		return "it holds a backslash"
	case at.slash:
		return "it ends in a slash"
	}
	if why := segmentsNever(path); why != "" {
		return why
	}
	checked := at.canonical
	if at.inside {
		checked = at.rel
	}
	if why := segmentsNever(checked); why != "" {
		return why
	}
	if at.inside && p.makesBare(at) {
		return "git would take the folder for a bare repository"
	}
	if p.isProtected(at) {
		return "it belongs to the run, and is never writable"
	}
	if at.info != nil && at.info.Mode().IsRegular() && hardLinks(at.info) > 1 {
		return "the file has more than one name (hard links)"
	}
	return ""
}

// segmentsNever returns what is wrong with a segment of a path to be written.
func segmentsNever(path string) string {
	for segment := range strings.SplitSeq(path, "/") {
		switch {
		case segment == "" || segment == "." || segment == "..":
		case isReserved(segment):
			return "what is in " + segment + " is never writable"
		case strings.HasSuffix(segment, ".") || strings.HasSuffix(segment, " "):
			return "a part of it ends in a dot or a space"
		}
	}
	return ""
}

// isReserved reports whether a name is one of the directories that are never
// written: git's own (also by its short DOS name) and flow's.
func isReserved(name string) bool {
	switch pattern.Fold(name) {
	case ".git", ".flow", "git~1":
		return true
	}
	return false
}

// isProtected reports whether a place is one of Config.Protected, or in one,
// also under another name that the file system takes for the same.
func (p *Policy) isProtected(at place) bool {
	canonical, given := pattern.Fold(at.canonical), pattern.Fold(at.given)
	for _, file := range p.protected {
		if folder.Holds(file.folded, canonical) || folder.Holds(file.folded, given) {
			return true
		}
		if at.info == nil {
			continue
		}
		if info, err := os.Stat(file.path); err == nil && os.SameFile(info, at.info) {
			return true
		}
	}
	return false
}

// A protectedFile is one of Config.Protected.
type protectedFile struct{ path, folded string }

// kindNever returns why a place cannot be opened as a file, or "".
func kindNever(at place) string {
	switch {
	case at.info == nil || at.info.Mode().IsRegular():
		return ""
	case at.info.IsDir():
		return "it is a directory"
	case at.info.Mode()&fs.ModeSymlink != 0:
		return "it is a link"
	}
	return "it is no regular file"
}
