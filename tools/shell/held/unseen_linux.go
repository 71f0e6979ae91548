package held

import (
	"io/fs"
	"path/filepath"
	"strings"
)

// covers reports whether a path is one of others, or in one.
func covers(others map[string]bool, path string) bool {
	for ; path != ""; path = path[:max(0, strings.LastIndexByte(path, filepath.Separator))] {
		if others[path] {
			return true
		}
	}
	return false
}

// hidesPath reports whether a path of the workspace is hidden; for the workspace itself,
// whether anything in it is.
func (v *View) hidesPath(path string) bool {
	if path == v.space.o.Root {
		return len(v.hidden) > 0
	}
	return covers(v.hidden, path)
}

// brought returns something hidden that the command has written beside git: it may have come
// out of the repository, and another program may have read it.
func (v *View) brought() (c Change, found bool) {
	hidden := v.space.hidden()
	if hidden == nil || !v.call.Git || !v.call.Beside {
		return c, false
	}
	for _, up := range v.uppers {
		folders := map[string]bool{} // that are hidden
		_ = filepath.WalkDir(up.Upper, func(path string, entry fs.DirEntry, err error) error {
			rel, _ := filepath.Rel(up.Upper, path)
			if err != nil || rel == "." {
				return nil
			}
			switch at := v.change(up.Target, rel, Create); {
			case found:
				return fs.SkipAll
			case at.git != nil && entry.IsDir():
				return fs.SkipDir
			case entry.IsDir():
				folders[path] = hidden(at.Path, true)
			case at.git == nil && entry.Type().IsRegular() && (hidden(at.Path, false) || covers(folders, path)):
				if info, err := entry.Info(); err == nil && info.Size() > 0 {
					c, found = at, true
				}
			}
			return nil
		})
	}
	return c, found
}
