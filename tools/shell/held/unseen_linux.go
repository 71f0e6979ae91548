package held

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// unseen returns why a change can't land, or "": the command has made it of a hidden file
// or folder, which was empty for it.
func (v *View) unseen(e effect) string {
	if len(v.hidden) == 0 {
		return ""
	}
	indexed := ""
	if e.Kind != Delete {
		indexed = v.indexed(e.Change)
	}
	switch at, is := v.hiddenAt(e.Path); {
	case is && e.Kind == Modify && e.Path == at:
		return "what is in it is hidden from commands"
	case is && e.Kind == Delete && (at != e.Path || v.moved[at]):
		return "what is in it is hidden from commands, so that they can't move it"
	case is && e.Kind == Delete && v.call.Git:
		return "what is in it is hidden from commands, so that git would keep an empty file"
	case indexed != "":
		return v.emptied(e, indexed)
	}
	return ""
}

// hiddenAt returns the hidden path that an absolute path is, or is in.
func (v *View) hiddenAt(path string) (at string, is bool) {
	for at = path; ; at = at[:max(0, strings.LastIndexByte(at, filepath.Separator))] {
		if at == "" || v.hidden[at] {
			return at, at != ""
		}
	}
}

// hidesPath reports whether a path of the workspace is hidden; for the workspace itself,
// whether anything in it is.
func (v *View) hidesPath(path string) bool {
	if path == v.space.o.Root {
		return len(v.hidden) > 0
	}
	_, is := v.hiddenAt(path)
	return is
}

// noteMoved finds the hidden files that the command has deleted and created elsewhere,
// empty as it saw them: it has moved or packed files that it could not read.
func (v *View) noteMoved(all []effect, collectors []*collector) {
	v.moved = map[string]bool{}
	gone := map[string][]string{} // by their names
	for _, e := range all {
		if at, is := v.hiddenAt(e.Path); is && e.Kind == Delete && at == e.Path {
			gone[filepath.Base(at)] = append(gone[filepath.Base(at)], at)
		}
	}
	if len(gone) == 0 {
		return
	}
	for _, e := range all {
		if e.Kind == Create && !e.Folder {
			v.noteMade(e.From, gone)
		}
	}
	for _, c := range collectors {
		for _, rel := range c.asides {
			_ = filepath.WalkDir(filepath.Join(c.up.path, rel), func(path string, _ os.DirEntry, _ error) error {
				v.noteMade(path, gone)
				return nil
			})
		}
	}
}

// noteMade finds the deleted files of which a new file may be what is left.
func (v *View) noteMade(from string, gone map[string][]string) {
	var info unix.Stat_t
	if unix.Lstat(from, &info) != nil || info.Mode&unix.S_IFMT != unix.S_IFREG {
		return
	}
	at := make([]byte, longestPath)
	if n, err := unix.Lgetxattr(from, maskedName, at); err == nil {
		v.moved[string(at[:n])] = true
		return
	}
	name := filepath.Base(from)
	packed := isPacked(name)
	if packed {
		name = strings.TrimSuffix(name, filepath.Ext(name))
	}
	if packed || info.Size == 0 {
		for _, at := range gone[name] {
			v.moved[at] = true
		}
	}
}

// isPacked reports whether a name has the extension of a program that packs a file and
// then deletes it.
func isPacked(name string) bool {
	switch filepath.Ext(name) {
	case ".gz", ".bz2", ".xz", ".lzma", ".zst", ".lz4", ".Z", ".br", ".gpg", ".age", ".enc":
		return true
	}
	return false
}

// emptied returns why git's index can't land, or "": it has a hidden file as an empty one,
// or has lost the files of a hidden folder, which git would commit. top is the working tree.
func (v *View) emptied(e effect, top string) string {
	is, err := readIndex(e.From)
	if err != nil {
		return "git's index can't be read, and files are hidden from commands"
	}
	was, _ := readIndex(e.Path) // there may be none
	name := func(at string) string { return strings.TrimPrefix(at, v.space.o.Root+"/") }
	for path := range is {
		if at, hidden := v.hiddenAt(filepath.Join(top, path)); hidden && is.isEmpty(path) && !was.isEmpty(path) {
			return "it has " + name(at) + " as empty, which is hidden from commands: name the files that git is to add, without that one"
		}
	}
	for path := range was {
		if at, hidden := v.hiddenAt(filepath.Join(top, path)); hidden && at != filepath.Join(top, path) {
			if _, kept := is[path]; !kept {
				return "it has lost " + name(filepath.Join(top, path)) + ", which is hidden from commands: name the files that git is to add, without that one"
			}
		}
	}
	return ""
}
