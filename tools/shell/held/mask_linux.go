package held

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// mask makes layers above the workspace in which hidden files and folders are empty.
type mask struct {
	path, root string
	hidden     func(path string, folder bool) bool
	limit      int    // of files in the root
	index      string // git's index of the root; "" is that in its .git

	mu     sync.Mutex
	found  lookedFor[[]hiddenPath]
	layers [2]maskLayer // the second is for git, from which less is hidden
	made   int
	listed readOnce[index]  // git's indexes
	named  readOnce[string] // git's hashes of files
}

// maskLayer is the folder of a layer, and what it hides.
type maskLayer struct {
	path  string
	hides []hiddenPath
}

type hiddenPath struct {
	rel    string
	folder bool
}

// maskedName is an attribute of an empty file: the path of the hidden file that it stands
// for. The file keeps it when it is moved.
const maskedName = "user.flow.hidden"

// mostEntries is how many files a walk may find.
const mostEntries = 4_000_000

func newMask(path, root string, hidden func(string, bool) bool) *mask {
	return &mask{path: path, root: root, hidden: hidden, limit: mostEntries, listed: readOnce[index]{}, named: readOnce[string]{}}
}

// layer returns the folder of a layer, and the paths that are hidden in it.
func (m *mask) layer(git bool) (string, []string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	found, err := m.found.get(m.find)
	if err != nil {
		return "", nil, err
	}
	hides, layer := found, &m.layers[0]
	if git {
		if hides = m.hiddenFromGit(found); len(hides) != len(found) {
			layer = &m.layers[1]
		}
	}
	var rels []string
	for _, h := range hides {
		rels = append(rels, h.rel)
	}
	if layer.path == "" || !slices.Equal(layer.hides, hides) {
		path, err := m.build(hides)
		if err != nil {
			return "", nil, err
		}
		*layer = maskLayer{path, hides}
	}
	return layer.path, rels, nil
}

// note drops the cached result if something that has to be hidden has landed.
func (m *mask) note(effects []effect) {
	if m.hidden == nil || !slices.ContainsFunc(effects, func(e effect) bool { return m.hidden(e.Path, e.Folder) }) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.found = lookedFor[[]hiddenPath]{}
}

// find walks the workspace. In the .git of a repository it looks only at what configures
// it.
func (m *mask) find() ([]hiddenPath, error) {
	if m.hidden == nil {
		return nil, nil
	}
	var found []hiddenPath
	left := m.limit
	var walk func(rel string) error
	walk = func(rel string) error {
		entries, err := readUnsorted(filepath.Join(m.root, rel))
		if err != nil {
			return nil // it has gone, or the command can't read it either
		}
		if left -= len(entries); left < 0 {
			return fmt.Errorf("%s has more than %d files: what is hidden in it can't be found", m.root, m.limit)
		}
		for _, entry := range entries {
			name := entry.Name()
			at := filepath.Join(rel, name)
			inGit := filepath.Base(rel) == ".git"
			if inGit && name != "config" && name != "config.worktree" && name != "modules" && name != "worktrees" {
				continue
			}
			if m.hidden(filepath.Join(m.root, at), entry.IsDir()) {
				found = append(found, hiddenPath{at, entry.IsDir()})
			} else if entry.IsDir() {
				if err := walk(at); err != nil {
					return err
				}
			}
		}
		return nil
	}
	err := walk("")
	sortHidden(found)
	return found, err
}

func sortHidden(all []hiddenPath) {
	slices.SortFunc(all, func(a, b hiddenPath) int { return strings.Compare(a.rel, b.rel) })
}

func readUnsorted(path string) ([]os.DirEntry, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.ReadDir(-1)
}

// build creates a new layer. The old one stays, because a command may be using it.
func (m *mask) build(all []hiddenPath) (string, error) {
	m.made++
	layer := fmt.Sprintf("%s-%d", m.path, m.made)
	if err := mkdirLike(layer, m.root); err != nil {
		return "", err
	}
	for _, h := range all {
		if err := makeParents(layer, m.root, h.rel); err != nil {
			return "", err
		}
		path := filepath.Join(layer, h.rel)
		if h.folder {
			if err := mkdirLike(path, filepath.Join(m.root, h.rel)); err != nil {
				return "", err
			}
			if err := unix.Lsetxattr(path, opaqueName, []byte("y"), 0); err != nil {
				return "", fmt.Errorf("%s: %w", path, err)
			}
			continue
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			return "", err
		}
		if err := errors.Join(unix.Lsetxattr(path, maskedName, []byte(filepath.Join(m.root, h.rel)), 0), os.Chmod(path, 0o444)); err != nil {
			return "", fmt.Errorf("%s: %w", path, err)
		}
	}
	return layer, nil
}

// makeParents creates the folders around a path below a new root, with the attributes that
// they have below another root.
func makeParents(root, like, rel string) error {
	for i, r := range rel {
		if r != filepath.Separator {
			continue
		}
		at := filepath.Join(root, rel[:i])
		if _, err := os.Lstat(at); err == nil {
			continue
		}
		if err := mkdirLike(at, filepath.Join(like, rel[:i])); err != nil {
			return err
		}
	}
	return nil
}
