package place

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/known"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
)

// Unwritable returns why a path is never written, because of one of its segments, or "".
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
	name = pattern.Fold(name)
	return name == ".flow" || known.IsGitFolder(name)
}

// Unopenable returns why a place cannot be opened as a file, or "".
func Unopenable(at Path) string {
	switch {
	case at.Info == nil || at.Info.Mode().IsRegular():
		return ""
	case at.Info.IsDir():
		return "it is a directory"
	}
	return "it is not a regular file"
}

// MakesBareRepository reports whether a file that is written would be part of a bare
// repository, in which git does what its config says, whoever runs it. There is no
// repository without a HEAD, so no HEAD is written, nor anything beside one.
func (t Roots) MakesBareRepository(path string) bool {
	if pattern.Fold(filepath.Base(path)) == "head" {
		return true
	}
	for ; path != t.Workspace && path != "/"; path = filepath.Dir(path) {
		name := pattern.Fold(filepath.Base(path))
		if name == "objects" || name == "refs" || known.ConfiguresGit(name) {
			if _, err := os.Lstat(Join(filepath.Dir(path), "HEAD")); err == nil {
				return true
			}
		}
	}
	return false
}

// plainDevice matches what is below /dev and harmless to read. Other files of the kernel may give
// access to the memory, the environment or the open files of a process.
var plainDevice = regexp.MustCompile(`^/dev/(null|zero|full|tty|stdin|stdout|stderr|random|urandom|fd/[0-9]+)$`)
