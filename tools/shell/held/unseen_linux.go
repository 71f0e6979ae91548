package held

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// unseen returns why a change can't land, or "": the command has changed or deleted what it
// could not see.
func (v *View) unseen(e effect) string {
	if covers(v.hidden, e.Path) && e.Kind != Create {
		return "what is in it is hidden from commands"
	}
	if top := v.indexed(e.Change); top != "" && e.Kind != Delete && len(v.hidden) > 0 {
		return v.emptied(e, top)
	}
	return ""
}

// hides reports whether a path, from a folder, is hidden or in a hidden folder.
func (v *View) hides(top, rel string) bool { return covers(v.hidden, filepath.Join(top, rel)) }

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

// emptied returns why git's index can't land, or "": it has a hidden file as an empty one,
// or has lost one, which git would commit. top is the working tree.
func (v *View) emptied(e effect, top string) string {
	is, err := readIndex(e.From)
	if err != nil {
		return "git's index can't be read, and files are hidden from commands"
	}
	was, _ := readIndex(e.Path) // there may be none
	why := func(path, what string) string {
		name := strings.TrimPrefix(filepath.Join(top, path), v.space.o.Root+"/")
		return fmt.Sprintf("it has "+what+", which is hidden from commands: name the files that git is to add, without that one", name)
	}
	for path := range is.files {
		if v.hides(top, path) && is.isEmpty(path) && !was.isEmpty(path) {
			return why(path, "%s as empty")
		}
	}
	for path := range was.files {
		if _, kept := is.files[path]; !kept && v.hides(top, path) {
			return why(path, "lost %s")
		}
	}
	return ""
}

// unmark takes from an index that is to land what the command's own had for hidden files.
func (v *View) unmark(e effect) error {
	top := v.indexed(e.Change)
	if top == "" || e.Kind == Delete || len(v.hidden) == 0 {
		return nil
	}
	is, err := readIndex(e.From)
	if err != nil {
		return nil // it is denied
	}
	was, _ := readIndex(e.Path)
	changed := is.assume(func(path string) bool {
		if v.hides(top, path) {
			return was.assumes(path)
		}
		return is.assumes(path)
	})
	if !changed {
		return nil
	}
	return rewrite(e.From, is.text)
}

// rewrite replaces the content of a file, which keeps its time: git compares it with those of
// the files that the index lists.
func rewrite(path string, text []byte) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(path, text, 0o600), os.Chtimes(path, info.ModTime(), info.ModTime()))
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
