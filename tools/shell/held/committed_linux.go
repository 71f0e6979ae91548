package held

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/a-seed-11b9befa/flow/internal/paths"
)

// Git can print all that is in its store, hidden files too. So a hidden file is shown to
// commands of git as long as its content is in the index: otherwise git would take it for
// changed, and refuse to go on, or commit it as empty.

// stamp identifies a version of a file.
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

// readOnce caches what was read from files, by path, until the files change.
type readOnce[T any] map[string]struct {
	seen stamp
	is   T
}

// get returns the result of read for an existing file, and whether the file exists.
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

// hiddenFromGit returns those of the hidden paths that are hidden from git, too: neither
// the configuration of a repository, nor what it has stored.
func (m *mask) hiddenFromGit(found []hiddenPath) []hiddenPath {
	var left []hiddenPath
	for _, h := range found {
		if gitSegment(h.rel) < 0 {
			left = append(left, m.unstored(h)...)
		}
	}
	sortHidden(left)
	return left
}

// unstored returns what of a hidden path no repository has stored.
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

// repository returns the innermost git repository above a path, from the root, and its
// index. The index is empty if there is no repository.
func (m *mask) repository(rel string) (top string, files index) {
	for top = rel; top != ""; {
		if top = filepath.Dir(top); top == "." {
			top = ""
		}
		path := filepath.Join(m.root, top, ".git", "index")
		if top == "" && m.index != "" {
			path = m.index
		}
		files, there := m.listed.get(path, func(path string, _ stamp) index {
			files, _ := readIndex(path) // what can't be read lists nothing
			return files
		})
		if there {
			return top, files
		}
		if _, err := os.Lstat(filepath.Dir(path)); err == nil {
			return top, nil // it has no index, or has it elsewhere
		}
	}
	return "", nil
}

// longestNamed is the size of the largest file that is hashed, in bytes.
const longestNamed = 64 << 20

// nameOf returns git's hash of a file's content, or "" if it is not known.
func (m *mask) nameOf(rel string, length int) string {
	name, _ := m.named.get(filepath.Join(m.root, rel), func(path string, seen stamp) string {
		if seen.size > longestNamed {
			return ""
		}
		file, err := paths.OpenRegular(path)
		if err != nil {
			return ""
		}
		defer file.Close()
		content, err := io.ReadAll(io.LimitReader(file, longestNamed))
		if err != nil {
			return ""
		}
		return blob(content, length)
	})
	return name
}
