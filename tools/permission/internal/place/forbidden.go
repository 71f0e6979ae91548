package place

import (
	"io/fs"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
)

// Unwritable returns what is wrong with a segment of a path to be written.
func Unwritable(path string) string {
	for segment := range strings.SplitSeq(path, "/") {
		switch {
		case segment == "" || segment == "." || segment == "..":
		case IsReserved(segment):
			return "what is in " + segment + " is never writable"
		case strings.HasSuffix(segment, ".") || strings.HasSuffix(segment, " "):
			return "a part of it ends in a dot or a space"
		}
	}
	return ""
}

// IsReserved reports whether a name is one of the directories that are never
// written: git's own (also by its short DOS name) and flow's.
func IsReserved(name string) bool {
	switch pattern.Fold(name) {
	case ".git", ".flow", "git~1":
		return true
	}
	return false
}

// Unopenable returns why a place cannot be opened as a file, or "".
func Unopenable(at Path) string {
	switch {
	case at.Info == nil || at.Info.Mode().IsRegular():
		return ""
	case at.Info.IsDir():
		return "it is a directory"
	case at.Info.Mode()&fs.ModeSymlink != 0:
		return "it is a link"
	}
	return "it is no regular file"
}
