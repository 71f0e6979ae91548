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

// A listing is a repository's index, read when its file was like that.
type listing struct {
	seen  stamp
	files index
}

// A naming is what git calls the content of a file, found when it was like that.
type naming struct {
	seen stamp
	name string
}

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
		seen, there := stampOf(path)
		if !there {
			if _, err := os.Lstat(filepath.Dir(path)); err == nil {
				return top, nil // one that lists nothing, or elsewhere
			}
			continue
		}
		if known, ok := m.listed[top]; ok && known.seen == seen {
			return top, known.files
		}
		files, _ = readIndex(path) // what can't be read lists nothing
		if m.listed == nil {
			m.listed = map[string]listing{}
		}
		m.listed[top] = listing{seen, files}
		return top, files
	}
	return "", nil
}

// longestNamed bounds the files that are read to be named, in bytes.
const longestNamed = 64 << 20

// nameOf is what git calls the content of a file; "" where that is not to be told.
func (m *mask) nameOf(rel string, length int) string {
	path := filepath.Join(m.root, rel)
	seen, there := stampOf(path)
	if !there || seen.size > longestNamed {
		return ""
	}
	if known, ok := m.named[rel]; ok && known.seen == seen {
		return known.name
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	if m.named == nil {
		m.named = map[string]naming{}
	}
	m.named[rel] = naming{seen, blob(content, length)}
	return m.named[rel].name
}
