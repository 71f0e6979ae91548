package files

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

var errRepository = errors.New("git would take a folder for a repository of its own")

// parts is held while a part of what git takes for a repository is written: the
// guard has judged each of several calls by what was there before all of them.
var parts sync.Mutex

// writePart writes a file, unless a folder becomes a repository by it.
func (w *Workspace) writePart(real string, write func() (replaced bool, err error)) (replaced bool, err error) {
	folders := w.partOf(real)
	if len(folders) == 0 {
		return write()
	}
	parts.Lock()
	defer parts.Unlock()
	for folder, name := range folders {
		if !isRepository(folder, "") && isRepository(folder, name) {
			return false, errRepository
		}
	}
	return write()
}

// partOf returns the folders above a path that have a part of a repository on the way
// to it, with what git calls that.
func (w *Workspace) partOf(real string) map[string]string {
	folders := map[string]string{}
	for path := real; path != w.path && path != filepath.Dir(path); path = filepath.Dir(path) {
		switch name := strings.ToLower(filepath.Base(path)); name {
		case "head", "commondir", "objects", "refs":
			folders[filepath.Dir(path)] = name
		}
	}
	return folders
}

// isRepository reports whether a folder is one for git when it has one more name.
func isRepository(folder, more string) bool {
	has := func(name string) bool {
		_, err := os.Lstat(filepath.Join(folder, name))
		return err == nil || strings.ToLower(name) == more
	}
	return has("HEAD") && (has("commondir") || has("objects") && has("refs"))
}
