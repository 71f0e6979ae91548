package held

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Git prints what is in its store, also of a file that is hidden: such a file is
// shown to commands of git as long as it is as git has it. Otherwise they would take
// it for changed, and refuse to go on, or commit it as empty.

// A stamp is by what a file is known to be as it was.
type stamp struct {
	inode   uint64
	size    int64
	changed unix.Timespec
}

func stampOf(path string) (stamp, bool) {
	var info unix.Stat_t
	if unix.Lstat(path, &info) != nil || info.Mode&unix.S_IFMT != unix.S_IFREG {
		return stamp{}, false
	}
	return stamp{info.Ino, info.Size, info.Ctim}, true
}

// What is read from files, by their paths, is read again when they have changed.
type readOnce[T any] map[string]struct {
	seen stamp
	is   T
}

// get returns what read makes of a file that is there.
func (r readOnce[T]) get(path string, read func(path string, seen stamp) T) (is T, there bool) {
	seen, there := stampOf(path)
	if !there {
		return is, false
	}
	known, ok := r[path]
	if !ok || known.seen != seen {
		known.seen, known.is = seen, read(path, seen)
		r[path] = known
	}
	return known.is, true
}

// shownToGit is what is hidden from git: not what configures its repository, and not
// what it has stored.
func (m *mask) shownToGit(found []hiddenPath) []hiddenPath {
	var left []hiddenPath
	for _, h := range found {
		if gitSegment(h.rel) < 0 {
			left = append(left, m.unstored(h)...)
		}
	}
	sortHidden(left)
	return left
}

// unstored is what is left to be hidden of a path.
func (m *mask) unstored(h hiddenPath) []hiddenPath {
	top, files := m.repository(h.rel)
	rel := strings.TrimPrefix(strings.TrimPrefix(h.rel, top), "/")
	if !h.folder {
		if name := files[rel]; name == "" || m.nameOf(h.rel, len(name)) != name {
			return []hiddenPath{h}
		}
		return nil
	}
	if !files.below(rel) {
		return []hiddenPath{h}
	}
	entries, err := readUnsorted(filepath.Join(m.root, h.rel))
	if err != nil {
		return []hiddenPath{h}
	}
	var left []hiddenPath
	for _, entry := range entries {
		left = append(left, m.unstored(hiddenPath{filepath.Join(h.rel, entry.Name()), entry.IsDir()})...)
	}
	return left
}

// repository returns the innermost folder above a path that is a repository of git,
// from the root, and what that lists. Where there is none it lists nothing.
func (m *mask) repository(rel string) (top string, files index) {
	for top = rel; top != ""; {
		if top = filepath.Dir(top); top == "." {
			top = ""
		}
		path := filepath.Join(m.root, top, ".git", "index")
		files, there := m.listed.get(path, func(path string, _ stamp) index {
			files, _ := readIndex(path) // what can't be read lists nothing
			return files
		})
		if there {
			return top, files
		}
		if _, err := os.Lstat(filepath.Dir(path)); err == nil {
			return top, nil // one that lists nothing, or elsewhere
		}
	}
	return "", nil
}

// longestNamed bounds the files that are read to be named, in bytes.
const longestNamed = 64 << 20

// nameOf is what git calls the content of a file; "" where it is not known.
func (m *mask) nameOf(rel string, length int) string {
	name, _ := m.named.get(filepath.Join(m.root, rel), func(path string, seen stamp) string {
		if seen.size > longestNamed {
			return ""
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return ""
		}
		return blob(content, length)
	})
	return name
}
