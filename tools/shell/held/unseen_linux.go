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
	if e.root != v.space.o.Root || len(v.hidden) == 0 {
		return ""
	}
	switch at, is := v.hiddenAt(e.Rel); {
	case is && e.Kind == Modify && e.Rel == at:
		return "what is in it is hidden from commands"
	case is && e.Kind == Delete && (at != e.Rel || v.moved[at]):
		return "what is in it is hidden from commands, so that they can't move it"
	case is && e.Kind == Delete && v.call.Git:
		return "what is in it is hidden from commands, so that git would keep an empty file"
	case e.Kind != Delete && filepath.Base(e.Rel) == "index" && gitSegment(e.Rel) >= 0:
		return v.emptied(e)
	}
	return ""
}

// hiddenAt returns the hidden path that rel is, or is in.
func (v *View) hiddenAt(rel string) (at string, is bool) {
	for at = rel; ; at = at[:max(0, strings.LastIndexByte(at, filepath.Separator))] {
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
	rel, inside := strings.CutPrefix(path, v.space.o.Root+"/")
	_, is := v.hiddenAt(rel)
	return inside && is
}

// noteMoved finds the hidden files that the command has deleted and created elsewhere,
// empty as it saw them: it has moved or packed files that it could not read.
func (v *View) noteMoved(all []effect, collectors []*collector) {
	v.moved = map[string]bool{}
	gone := map[string][]string{} // by their names
	for _, e := range all {
		if at, is := v.hiddenAt(e.Rel); is && e.Kind == Delete && e.root == v.space.o.Root && at == e.Rel {
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
	rel := make([]byte, longestPath)
	if n, err := unix.Lgetxattr(from, maskedName, rel); err == nil {
		v.moved[string(rel[:n])] = true
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
// or has lost the files of a hidden folder, which git would commit.
func (v *View) emptied(e effect) string {
	is, err := readIndex(e.From)
	if err != nil {
		return "git's index can't be read, and files are hidden from commands"
	}
	was, _ := readIndex(e.Path) // there may be none
	top := strings.TrimPrefix(filepath.Dir(filepath.Dir(e.Rel))+"/", "./")
	for path := range is {
		if at, hidden := v.hiddenAt(top + path); hidden && is.isEmpty(path) && !was.isEmpty(path) {
			return "it has " + at + " as empty, which is hidden from commands: name the files that git is to add, without that one"
		}
	}
	for path := range was {
		if at, hidden := v.hiddenAt(top + path); hidden && at != top+path {
			if _, kept := is[path]; !kept {
				return "it has lost " + top + path + ", which is hidden from commands: name the files that git is to add, without that one"
			}
		}
	}
	return ""
}
