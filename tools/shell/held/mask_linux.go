package held

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/internal/repository"
)

// mask makes layers in which hidden files and folders are empty, for git too: its index says
// that they are as git has stored them. Of a repository's configuration a layer has only
// what holds no passwords.
type mask struct {
	path     string   // with which the paths of layers begin
	roots    []string // the workspace, or the working tree around it; then git directories elsewhere
	inside   string   // the workspace, from the first root
	hidden   func(path string, folder bool) bool
	revealed func(path string) bool
	limit    int // of files

	mu     sync.Mutex
	found  lookedFor[[]cover]
	layers map[bool]maskLayer // with and without passwords
	made   int
}

// maskLayer has a folder for each root.
type maskLayer struct {
	path   string
	covers []cover
}

// cover is what stands in a layer for a file or a folder.
type cover struct {
	path string
	as   disguise
	tree string // the working tree of an index
	seen stamp  // the version of an index or a configuration
}

type disguise int

const (
	emptyFile disguise = iota
	emptyFolder
	plainConfig
	markedIndex
)

// stamp identifies a version of a file.
type stamp struct {
	inode   uint64
	size    int64
	changed unix.Timespec
}

func stampOf(path string) (s stamp, ok bool) {
	var info unix.Stat_t
	if unix.Lstat(path, &info) != nil || info.Mode&unix.S_IFMT != unix.S_IFREG {
		return s, false
	}
	return stamp{info.Ino, info.Size, info.Ctim}, true
}

// maxEntries is how many files a walk may find.
const maxEntries = 4_000_000

// layer returns a folder for each root, and the paths that are hidden.
func (m *mask) layer(passwords bool) (folders []string, hidden map[string]bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	found, err := m.found.get(m.find)
	if err != nil {
		return nil, nil, err
	}
	hidden = map[string]bool{}
	var covers []cover
	for _, c := range found {
		if c.as == plainConfig && passwords {
			continue
		}
		if c.as == plainConfig {
			c.seen, _ = stampOf(c.path)
		}
		hidden[c.path] = true
		covers = append(covers, c)
	}
	covers = append(covers, m.indexes(covers)...)
	layer := m.layers[passwords]
	if layer.path == "" || !slices.Equal(layer.covers, covers) {
		if layer, err = m.build(covers, hidden); err != nil {
			return nil, nil, err
		}
		m.layers[passwords] = layer
	}
	for i := range m.roots {
		folders = append(folders, filepath.Join(layer.path, fmt.Sprint(i)))
	}
	return folders, hidden, nil
}

// note drops the cached result if something that has to be hidden has landed.
func (m *mask) note(effects []effect) {
	if m.hidden == nil || !slices.ContainsFunc(effects, func(e effect) bool { return m.hidden(e.Path, e.Folder) }) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.found = lookedFor[[]cover]{}
}

// find walks the first root, and looks in git's directories for what configures git.
func (m *mask) find() (found []cover, err error) {
	if m.hidden == nil {
		return nil, nil
	}
	left := m.limit
	var walk func(dir string) error
	walk = func(dir string) error {
		entries, err := readUnsorted(dir)
		if isShut(dir, err) {
			found = append(found, cover{path: dir, as: emptyFolder})
		}
		if err != nil {
			return nil
		}
		if left -= len(entries); left < 0 {
			return fmt.Errorf("%s has more than %d files: what is hidden in it can't be found", m.roots[0], m.limit)
		}
		for _, entry := range entries {
			path := filepath.Join(dir, entry.Name())
			switch hidden := m.hidden(path, entry.IsDir()); {
			case hidden && entry.IsDir():
				found = append(found, cover{path: path, as: emptyFolder})
			case hidden:
				found = append(found, cover{path: path, as: emptyFile})
			case entry.IsDir() && entry.Name() == ".git":
				found = append(found, configurations(path, func(path string) bool { return m.hidden(path, false) })...)
			case entry.IsDir():
				if err := walk(path); err != nil {
					return err
				}
			}
		}
		return nil
	}
	err = walk(m.roots[0])
	for _, git := range m.roots[1:] {
		found = append(found, configurations(git, func(path string) bool { return !m.revealed(path) })...)
	}
	slices.SortFunc(found, func(a, b cover) int { return strings.Compare(a.path, b.path) })
	return found, err
}

// configurations returns the files that configure git in a git directory, and in those of
// modules and working trees in it, and the folders that are shut.
func configurations(git string, hidden func(path string) bool) (found []cover) {
	_ = filepath.WalkDir(git, func(path string, entry os.DirEntry, err error) error {
		switch {
		case isShut(path, err):
			found = append(found, cover{path: path, as: emptyFolder})
		case err != nil:
		case entry.IsDir() && slices.Contains([]string{"objects", "refs", "logs", "hooks", "info", "lfs"}, entry.Name()):
			if _, err := os.Lstat(filepath.Join(filepath.Dir(path), "HEAD")); err == nil { // else it is a module of that name
				return filepath.SkipDir
			}
		case entry.Type().IsRegular() && (entry.Name() == "config" || entry.Name() == "config.worktree") && hidden(path):
			found = append(found, cover{path: path, as: plainConfig})
		}
		return nil
	})
	return found
}

// isShut reports whether an error says that a folder can't be listed which is this user's: a command may open it.
func isShut(folder string, err error) bool {
	return errors.Is(err, fs.ErrPermission) && repository.Owner(folder) == os.Geteuid()
}

func readUnsorted(path string) ([]os.DirEntry, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.ReadDir(-1)
}

// indexes returns the indexes of the repositories that hidden files are in.
func (m *mask) indexes(hidden []cover) (all []cover) {
	looked := map[string]bool{}
	for _, h := range hidden {
		dir := filepath.Dir(h.path)
		if looked[dir] || h.as == plainConfig {
			continue
		}
		looked[dir] = true
		r, ok := repository.Around(dir)
		path := filepath.Join(r.Git, "index")
		if seen, there := stampOf(path); ok && there && m.rootOf(path) >= 0 && !slices.ContainsFunc(all, func(c cover) bool { return c.path == path }) {
			all = append(all, cover{path, markedIndex, r.Top, seen})
		}
	}
	return all
}

// rootOf returns the number of the root that holds a path, or -1.
func (m *mask) rootOf(path string) int {
	return slices.IndexFunc(m.roots, func(root string) bool { return paths.Holds(root, path) })
}

// build creates a new layer. The old one stays, because a command may be using it.
func (m *mask) build(covers []cover, hidden map[string]bool) (maskLayer, error) {
	m.made++
	layer := maskLayer{fmt.Sprintf("%s-%d", m.path, m.made), covers}
	for i, root := range m.roots {
		if err := mkdirLike(filepath.Join(layer.path, fmt.Sprint(i)), root); err != nil {
			return layer, err
		}
	}
	if err := makeParents(filepath.Join(layer.path, "0"), m.roots[0], m.inside+"/"); err != nil {
		return layer, err
	}
	for _, c := range covers {
		root := m.rootOf(c.path)
		rel, err := filepath.Rel(m.roots[root], c.path)
		if err != nil {
			return layer, err
		}
		at := filepath.Join(layer.path, fmt.Sprint(root))
		if err := makeParents(at, m.roots[root], rel); err != nil {
			return layer, err
		}
		path := filepath.Join(at, rel)
		if err := inOpen(filepath.Dir(path), func() error { return c.create(path, hidden) }); err != nil {
			return layer, fmt.Errorf("%s: %w", c.path, err)
		}
	}
	return layer, nil
}

// create makes what stands for the path.
func (c cover) create(at string, hidden map[string]bool) error {
	switch c.as {
	case emptyFolder:
		return errors.Join(os.MkdirAll(at, 0o700), unix.Lsetxattr(at, opaqueName, []byte("y"), 0), copyAttributes(at, c.path))
	case plainConfig:
		text, _ := os.ReadFile(c.path) // what this user can't read, git can't either
		return errors.Join(os.WriteFile(at, withoutPasswords(text), 0o600), copyAttributes(at, c.path))
	case markedIndex:
		index, err := readIndex(c.path)
		if err != nil || !index.assume(func(path string) bool { return index.assumes(path) || covers(hidden, filepath.Join(c.tree, path)) }) {
			return nil // it lists nothing that is hidden
		}
		return errors.Join(os.WriteFile(at, index.text, 0o600), copyAttributes(at, c.path))
	}
	return os.WriteFile(at, nil, 0o444)
}

// The sections of git's configuration that hold no passwords, and what is one all the same.
var (
	section  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*\[\s*([\w-]+)`) })
	harmless = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(core|extensions|user|author|committer|branch|remote|submodule|init|commit|tag|merge|rebase|pull|push|fetch|diff|status|index|log|color|` +
			`advice|filter|lfs|alias|include|includeif|gpg|rerere|apply|am|pack|gc|maintenance|feature|pager|blame|grep|format|column|checkout|clone|protocol|safe|worktree|trailer|notes)$`)
	})
	password = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)://[^/\s]*@|extraheader|password|token`) })
)

// withoutPasswords returns a configuration of git without what may hold passwords.
func withoutPasswords(text []byte) []byte {
	var out []byte
	keep, dropped := false, false
	for line := range bytes.Lines(text) {
		if name := section().FindSubmatch(line); name != nil {
			keep = !password().Match(line) && harmless().Match(name[1])
		}
		dropped = !keep || dropped || password().Match(line)
		if !dropped {
			out = append(out, line...)
		}
		dropped = dropped && bytes.HasSuffix(bytes.TrimRight(line, "\r\n"), []byte(`\`)) // the value goes on
	}
	return out
}

// makeParents creates the folders around a path below a new root, with the attributes that
// they have below another root. Through a symlink in the place of one, the path would be
// written or removed elsewhere.
func makeParents(root, like, rel string) error {
	for i, r := range rel {
		if r != filepath.Separator {
			continue
		}
		at := filepath.Join(root, rel[:i])
		info, err := os.Lstat(at)
		if err == nil && info.IsDir() {
			continue
		}
		if err == nil {
			err = os.Remove(at)
		} else {
			err = ignoreGone(err)
		}
		create := func() error { return mkdirLike(at, filepath.Join(like, rel[:i])) }
		if err = errors.Join(err, inOpen(filepath.Dir(at), create)); err != nil {
			return err
		}
	}
	return nil
}

// lookedFor caches the result of a walk through folders. There are no notifications about
// files that others create, so the result expires, the later the longer the walk took.
type lookedFor[T any] struct {
	found T
	since time.Time // zero if there is no result
	took  time.Duration
}

// patience is how many times as long as a walk took its result is used.
const patience = 20

// get returns the cached result, or calls find for a new one.
func (l *lookedFor[T]) get(find func() (T, error)) (T, error) {
	if !l.since.IsZero() && time.Since(l.since) <= patience*l.took {
		return l.found, nil
	}
	start := time.Now()
	found, err := find()
	if err == nil {
		l.found, l.since, l.took = found, time.Now(), time.Since(start)
	}
	return found, err
}
