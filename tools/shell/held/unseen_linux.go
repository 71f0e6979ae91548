package held

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/a-seed-11b9befa/flow/internal/folder"
)

// unseen says why a change can't land that comes of a file that the command has
// found empty, because it is hidden; "" where none does.
func (v *View) unseen(e effect) string {
	if e.root != v.space.o.Root || len(v.hidden) == 0 {
		return ""
	}
	switch at, is := v.hiddenAt(e.Rel); {
	case is && e.Kind == Modify && e.Rel == at:
		return "what is in it is hidden from commands"
	case is && e.Kind == Delete && (at != e.Rel || v.moved[filepath.Base(at)]):
		return "what is in it is hidden from commands, so that they can't move it"
	case e.Kind != Delete && filepath.Base(e.Rel) == "index" && gitSegment(e.Rel) >= 0:
		return v.emptied(e)
	}
	return ""
}

// hiddenAt returns the hidden path that a path is, or is in.
func (v *View) hiddenAt(rel string) (at string, is bool) {
	i := slices.IndexFunc(v.hidden, func(h string) bool { return folder.Holds(h, rel) })
	if i < 0 {
		return "", false
	}
	return v.hidden[i], true
}

func (v *View) hiddenPaths() []string {
	var all []string
	for _, rel := range v.hidden {
		all = append(all, filepath.Join(v.space.o.Root, rel))
	}
	return all
}

// noteMoved notes the names of hidden files for which the command has made an empty
// one elsewhere: it has moved or copied what it could not see.
func (v *View) noteMoved(all []effect, collectors []*collector) {
	v.moved = map[string]bool{}
	if len(v.hidden) == 0 {
		return
	}
	names := map[string]bool{}
	for _, rel := range v.hidden {
		names[filepath.Base(rel)] = true
	}
	note := func(from string) {
		var info unix.Stat_t
		if name := filepath.Base(from); names[name] && unix.Lstat(from, &info) == nil && info.Mode&unix.S_IFMT == unix.S_IFREG && info.Size == 0 {
			v.moved[name] = true
		}
	}
	for _, e := range all {
		if e.Kind == Create {
			note(e.From)
		}
	}
	for _, c := range collectors {
		for _, rel := range c.asides {
			_ = filepath.WalkDir(filepath.Join(c.up.path, rel), func(path string, _ os.DirEntry, _ error) error {
				note(path)
				return nil
			})
		}
	}
}

// emptied says why git's index can't land, or "": it has a hidden file as one that
// is empty, or has lost those of a hidden folder, which then would be committed.
func (v *View) emptied(e effect) string {
	is, err := readIndex(e.From)
	if err != nil {
		return "git's index can't be read, and files are hidden from commands"
	}
	was, _ := readIndex(e.Path) // there may be none
	top := strings.TrimPrefix(filepath.Dir(filepath.Dir(e.Rel))+"/", "./")
	for path, empty := range is {
		if at, hidden := v.hiddenAt(top + path); hidden && empty && !was[path] {
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

// The names that git has for the empty file, by its two ways to count them.
var emptyFiles = [][]byte{
	[]byte("\xe6\x9d\xe2\x9b\xb2\xd1\xd6\x43\x4b\x8b\x29\xae\x77\x5a\xd8\xc2\xe4\x8c\x53\x91"),
	[]byte("\x47\x3a\x0f\x4c\x3b\xe8\xa9\x36\x81\xa2\x67\xe3\xb1\xe9\xa7\xdc\xda\x11\x85\x43\x6f\xe1\x41\xf7\x74\x91\x20\xa3\x03\x72\x18\x13"),
}

// readIndex reads git's list of files, and which of them are empty.
func readIndex(path string) (map[string]bool, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for _, empty := range emptyFiles {
		if files, ok := parseIndex(text, empty); ok {
			return files, nil
		}
	}
	return nil, os.ErrInvalid
}
