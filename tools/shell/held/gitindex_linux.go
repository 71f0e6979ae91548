package held

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/a-seed-11b9befa/flow/internal/paths"
)

// gitIndex is git's index, as gitformat-index(5) describes it. It is changed in place: what
// else is in it, such as extensions, is git's own.
type gitIndex struct {
	text  []byte
	sum   hash.Hash // of the repository
	files map[string]indexEntry
}

type indexEntry struct {
	mode  string
	hash  string
	flags int // where they are
}

// assumed is the flag of a file that git takes for unchanged, without looking at it.
const assumed = 0x80

// moreFlags is the flag of a file that has two more bytes of them.
const moreFlags = 0x40

// maxIndex is the size of an index that is read, and of all paths in it, in bytes.
const maxIndex = 512 << 20

// readIndex reads the file of an index.
func readIndex(path string) (gitIndex, error) {
	file, err := paths.OpenRegular(path)
	if err != nil {
		return gitIndex{}, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxIndex))
	if err != nil {
		return gitIndex{}, err
	}
	for _, sum := range []hash.Hash{sha1.New(), sha256.New()} {
		index := gitIndex{text, sum, map[string]indexEntry{}}
		if index.parse() {
			return index, nil
		}
	}
	return gitIndex{}, os.ErrInvalid
}

// parse finds the files. It reports whether the text is an index with hashes of that size.
func (g gitIndex) parse() bool {
	text, length := g.text, g.sum.Size()
	if len(text) < 12+length || string(text[:4]) != "DIRC" {
		return false
	}
	version, count := binary.BigEndian.Uint32(text[4:]), binary.BigEndian.Uint32(text[8:])
	if version < 2 || version > 4 {
		return false
	}
	var path []byte
	at, size := 12, 0
	for ; count > 0; count-- {
		start, name := at, at+40 // times, numbers, mode and size come first
		flags := name + length
		if at = flags + 2; at > len(text) {
			return false
		}
		if text[flags]&moreFlags != 0 {
			at += 2
		}
		ok := true
		if path, at, ok = nextPath(text, at, path, version); !ok {
			return false
		}
		long := int(binary.BigEndian.Uint16(text[flags:]) & 0xfff)
		if size += len(path); size > maxIndex || long != 0xfff && long != len(path) { // the paths of version 4 may be longer than the file
			return false
		}
		if version < 4 {
			at = start + (at-start+7)/8*8
		}
		g.files[string(path)] = indexEntry{string(text[start+24 : start+28]), string(text[name:flags]), flags}
	}
	return true
}

// nextPath returns the path at an offset, and the offset after it. Version 4 has only the
// difference from the path before.
func nextPath(text []byte, at int, before []byte, version uint32) (path []byte, next int, ok bool) {
	path = before[:0]
	if version == 4 {
		cut, more := 0, byte(0x80)
		for i := 0; more != 0; i++ {
			if at >= len(text) || i == 5 {
				return nil, 0, false
			}
			more = text[at] & 0x80
			cut = cut<<7 + int(text[at]&0x7f)
			if more != 0 {
				cut++
			}
			at++
		}
		if cut > len(before) {
			return nil, 0, false
		}
		path = before[:len(before)-cut]
	}
	if at > len(text) {
		return nil, 0, false
	}
	end := bytes.IndexByte(text[at:], 0)
	if end < 0 {
		return nil, 0, false
	}
	return append(path, text[at:at+end]...), at + end + 1, true
}

// assumes reports whether git takes a file for unchanged.
func (g gitIndex) assumes(path string) bool {
	entry, there := g.files[path]
	return there && g.text[entry.flags]&assumed != 0
}

// assume sets for each file whether git takes it for unchanged, and reports whether that
// has changed anything.
func (g gitIndex) assume(is func(path string) bool) (changed bool) {
	for path, entry := range g.files {
		if is(path) != g.assumes(path) {
			g.text[entry.flags] ^= assumed
			changed = true
		}
	}
	end := g.text[len(g.text)-g.sum.Size():]
	if changed && slices.ContainsFunc(end, func(b byte) bool { return b != 0 }) { // a repository may be set to have no sum
		g.sum.Reset()
		g.sum.Write(g.text[:len(g.text)-len(end)])
		copy(end, g.sum.Sum(nil))
	}
	return changed
}

// same reports whether another index has the same files, with the same flags. The rest is only to
// find out faster which of them have changed.
func (g gitIndex) same(other gitIndex) bool {
	const count = 8 // where the number of entries is: a path with a conflict has several
	return bytes.Equal(g.text[count:count+4], other.text[count:count+4]) && maps.EqualFunc(g.files, other.files, func(a, b indexEntry) bool {
		return a.mode == b.mode && a.hash == b.hash && bytes.Equal(g.flags(a), other.flags(b))
	})
}

// flags returns the flags of a file.
func (g gitIndex) flags(e indexEntry) []byte {
	if g.text[e.flags]&moreFlags != 0 {
		return g.text[e.flags : e.flags+4]
	}
	return g.text[e.flags : e.flags+2]
}

// isEmpty reports whether the index has a path as an empty file.
func (g gitIndex) isEmpty(path string) bool {
	entry, there := g.files[path]
	if !there {
		return false
	}
	g.sum.Reset()
	fmt.Fprint(g.sum, "blob 0\x00")
	return entry.hash == string(g.sum.Sum(nil))
}

// strays returns a path that leads out of the working tree or into a .git, or "". Git itself makes
// no index with one, but a checkout of one writes there, such as a hook.
func (g gitIndex) strays() string {
	for path := range g.files {
		path = strings.TrimSuffix(path, "/") // a folder of a sparse index
		if !filepath.IsLocal(path) || slices.ContainsFunc(strings.Split(path, "/"), func(s string) bool { return s == "" || s == "." || s == ".." || gitSegment(s) >= 0 }) {
			return path
		}
	}
	return ""
}

// onlyRewritten reports whether git has written a file of its own anew, but what the command saw
// in it has not changed. Git does so with its configuration when it deletes a branch, and with an
// index, also when it only prints, to note the times of files.
func (c *collector) onlyRewritten(rel string, e effect) bool {
	if e.git == nil || len(e.git.own) == 0 || e.Link != "" || e.never != "" {
		return false
	}
	seen := filepath.Join(c.up.Target, rel)
	for _, lower := range slices.Backward(c.up.Lower) {
		if _, err := os.Lstat(filepath.Join(lower, rel)); err == nil {
			seen = filepath.Join(lower, rel)
		}
	}
	switch call := c.view.call; {
	case e.git.isIndex() && (!call.Git || call.Prints):
		is, err := readIndex(e.From)
		was, wasErr := readIndex(seen)
		return err == nil && wasErr == nil && is.same(was)
	case slices.Contains([]string{"config", "config.worktree"}, e.git.own[len(e.git.own)-1]):
		var was unix.Stat_t
		err := unix.Lstat(seen, &was)
		same, sameErr := sameContent(e.From, seen)
		return err == nil && sameErr == nil && same && was.Mode == unix.S_IFREG|e.Mode
	}
	return false
}

// Git trusts the files in its directory, and some of those that change in the course of ordinary
// work decide what it runs or where it writes. A call of git may run other programs, such as
// hooks, which may have written them.

// runsProgram finds what has git run a program, in its notes of how it goes on with work that was interrupted: in
// the list of what a rebase does next a line with a command, in others a strategy that is a path, which git runs.
var runsProgram = sync.OnceValue(func() map[string]*regexp.Regexp {
	todo, strategy := regexp.MustCompile(`(?m)^\s*(?:exec|x)(?:\s|$)`), regexp.MustCompile(`/`)
	return map[string]*regexp.Regexp{
		"git-rebase-todo": todo, "git-rebase-todo.backup": todo, "strategy": strategy, "opts": regexp.MustCompile(`(?is)\bstrategy\s*=.*/`),
	}
})

// maxNotes is the size of such a file, in bytes.
const maxNotes = 16 << 20

// armed returns why a file of git's own can't land, or "": with its content git would run a
// program, write where no working tree is, or commit what the command could not see.
func (v *View) armed(e effect) string {
	switch {
	case e.Kind == Delete || e.Folder || e.From == "":
		return ""
	case e.runs():
		return "git would run a program when it continues"
	case !e.git.isIndex():
		return ""
	}
	is, err := readIndex(e.From)
	if err != nil {
		return "git's index can't be read"
	}
	if path := is.strays(); path != "" {
		return "git's index has a file " + path + ", which a checkout would write"
	}
	was, _ := readIndex(e.Path) // there may be none
	top := v.treeOf(e.Change)
	hides := func(path string) bool { return covers(v.hidden, filepath.Join(top, path)) }
	if path, what := is.loses(was, hides); path != "" {
		name := strings.TrimPrefix(filepath.Join(top, path), v.space.o.Root+"/")
		return fmt.Sprintf("it has "+what+", which is hidden from commands: name the files that git is to add, without that one", name)
	}
	// What the command's own index had for hidden files is taken from it.
	if !is.assume(func(path string) bool { return hides(path) && was.assumes(path) || !hides(path) && is.assumes(path) }) {
		return ""
	}
	// It keeps its time, which git compares with those of the files that it lists.
	info, err := os.Lstat(e.From)
	if err == nil {
		err = errors.Join(os.WriteFile(e.From, is.text, 0o600), os.Chtimes(e.From, info.ModTime(), info.ModTime()))
	}
	if err != nil {
		return "git's index can't be written: " + err.Error()
	}
	return ""
}

// loses returns a hidden file that the index has as an empty one, or has lost, which git would
// commit, and which of both it is; "" for none.
func (g gitIndex) loses(was gitIndex, hides func(path string) bool) (path, what string) {
	for path := range g.files {
		if hides(path) && g.isEmpty(path) && !was.isEmpty(path) {
			return path, "%s as empty"
		}
	}
	for path := range was.files {
		if _, kept := g.files[path]; !kept && hides(path) {
			return path, "lost %s"
		}
	}
	return "", ""
}

// runs reports whether git may run a program because of this file when it goes on with work that was interrupted.
func (e effect) runs() bool {
	folder, name := filepath.Split(strings.ToLower(e.Path))
	finds := runsProgram()[name]
	if finds == nil || !slices.Contains([]string{"rebase-merge", "rebase-apply", "sequencer"}, filepath.Base(folder)) {
		return false
	}
	file, err := paths.OpenRegular(e.From)
	if err != nil {
		return true
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxNotes))
	return err != nil || len(text) == maxNotes || finds.Match(text)
}
