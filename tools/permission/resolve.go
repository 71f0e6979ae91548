package permission

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
)

const (
	maxPath  = 4096
	maxLinks = 40
)

// place is where a path leads, walked as the kernel walks it.
type place struct {
	// given is the absolute path as it was written, cleaned as text.
	given string
	// canonical is the absolute path without links. Its tail may be missing
	// from the file system.
	canonical string
	// rel is canonical from the workspace root, when inside is true; "." is the
	// root itself.
	rel    string
	inside bool
	info   fs.FileInfo // nil when nothing is there
	slash  bool        // the path ends in a slash
	// throughKernel says that a link leads into /proc, /dev or /sys; then
	// canonical is only the text.
	throughKernel bool
	// passed are the links and the directories left through .. on the way.
	passed []string
}

func (p place) isDir() bool { return p.info != nil && p.info.IsDir() }

// name is the path from the workspace root, or the whole path outside.
func (p place) name() string {
	if p.inside {
		return p.rel
	}
	return p.canonical
}

// tree knows the directories that paths start from.
type tree struct {
	root      string // canonical
	rootGiven string
	home      string
	secrets   [][]pattern.Atom
	// seen are the directories that were looked at while one command is judged;
	// nil keeps none.
	seen map[string]lookedAt
}

// lookedAt is what was found at a path.
type lookedAt struct {
	info fs.FileInfo
	err  error
}

// remembering returns a tree that looks at each directory once.
func (t tree) remembering() tree {
	t.seen = map[string]lookedAt{}
	return t
}

// inTree returns a path from the workspace root.
func (t tree) inTree(canonical string) (rel string, inside bool) {
	if canonical == t.root {
		return ".", true
	}
	return strings.CutPrefix(canonical, strings.TrimSuffix(t.root, "/")+"/")
}

// resolveTilde resolves a path in which ~ stands for the home directory.
func (t tree) resolveTilde(dir, path string) (place, error) {
	if rest, ok := strings.CutPrefix(path, "~"); ok {
		if rest != "" && rest[0] != '/' {
			return place{}, errors.New("it names another user's home directory")
		}
		if t.home == "" {
			return place{}, errors.New("there is no home directory")
		}
		path = t.home + rest
	}
	return t.resolve(dir, path)
}

// resolve walks a path from dir, which is absolute. The error is the end of a
// sentence that begins with the path.
func (t tree) resolve(dir, path string) (place, error) {
	if err := CheckPath(path); err != nil {
		return place{}, err
	}
	p := place{slash: strings.HasSuffix(path, "/")}
	if !strings.HasPrefix(path, "/") {
		path = dir + "/" + path
	}
	if len(path) > 2*maxPath {
		return place{}, errors.New("it is longer than 4096 bytes")
	}
	p.given = t.regiven(filepath.Clean(path))
	w := pathWalk{at: "/", todo: path, seen: t.seen}
	for _, known := range []string{t.root, t.home} { // they were resolved when the policy was built
		if rest, ok := strings.CutPrefix(path, strings.TrimSuffix(known, "/")+"/"); ok && known != "" {
			w.at, w.todo = known, rest
			break
		}
	}
	if err := w.run(); err != nil {
		return place{}, err
	}
	p.canonical, p.info, p.passed = w.at, w.info, w.passed
	p.rel, p.inside = t.inTree(w.at)
	return p, nil
}

// regiven writes a path below the root as the caller named it with the root's
// canonical name, so that rules from the root see it.
func (t tree) regiven(path string) string {
	if rest, ok := strings.CutPrefix(path, t.rootGiven); ok && (rest == "" || rest[0] == '/') {
		return strings.TrimSuffix(t.root, "/") + rest
	}
	return path
}

// CheckPath returns why no rule and no call can name a path, as the end of a
// sentence that begins with the path.
func CheckPath(path string) error {
	switch {
	case path == "":
		return errors.New("it is empty")
	case len(path) > maxPath:
		return errors.New("it is longer than 4096 bytes")
	}
	if what := pattern.StrangeRune(path, ""); what != "" {
		return errors.New("it holds " + what)
	}
	return nil
}

// pathWalk follows a path segment by segment, links first.
type pathWalk struct {
	at      string // canonical so far
	todo    string // what is still to be walked
	missing bool   // at does not exist
	info    fs.FileInfo
	links   int
	passed  []string
	seen    map[string]lookedAt
}

func (w *pathWalk) run() error {
	if inKernel(w.at) {
		return errKernel
	}
	for w.todo != "" {
		var segment string
		segment, w.todo, _ = strings.Cut(w.todo, "/")
		if err := w.step(segment); err != nil {
			return err
		}
		if inKernel(w.at) {
			return errKernel
		}
	}
	if w.info == nil && !w.missing {
		w.info, _ = os.Lstat(w.at)
	}
	return nil
}

var (
	errKernel   = errors.New("it leads through /proc, /dev or /sys")
	errUpAbsent = errors.New(".. follows a part that does not exist")
	errNotDir   = errors.New("a part of it is a file, not a directory")
	errLinks    = errors.New("it leads through too many links")
)

func (w *pathWalk) step(segment string) error {
	switch segment {
	case "", ".":
		return nil
	case "..":
		return w.up()
	}
	if w.info != nil && !w.info.IsDir() {
		return errNotDir
	}
	next := strings.TrimSuffix(w.at, "/") + "/" + segment
	if w.missing {
		w.at = next
		return nil
	}
	info, err := w.look(next)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		w.at, w.info, w.missing = next, nil, true
		return nil
	case err != nil:
		return errors.New("it cannot be looked up: " + cause(err))
	case info.Mode()&fs.ModeSymlink != 0:
		return w.follow(next)
	}
	w.at, w.info = next, info
	return nil
}

// look looks at a segment; one that the path goes on from is kept in mind.
func (w *pathWalk) look(path string) (fs.FileInfo, error) {
	if w.seen == nil || w.todo == "" {
		return os.Lstat(path)
	}
	found, ok := w.seen[path]
	if !ok {
		found.info, found.err = os.Lstat(path)
		w.seen[path] = found
	}
	return found.info, found.err
}

func (w *pathWalk) up() error {
	switch {
	case w.missing:
		return errUpAbsent
	case w.info != nil && !w.info.IsDir():
		return errNotDir
	}
	w.passed = append(w.passed, w.at)
	w.at, w.info = filepath.Dir(w.at), nil
	return nil
}

func (w *pathWalk) follow(link string) error {
	w.links++
	w.passed = append(w.passed, link)
	target, err := os.Readlink(link)
	if err != nil {
		return errors.New("a link cannot be read: " + cause(err))
	}
	if w.links > maxLinks || len(target)+len(w.todo) > 4*maxPath {
		return errLinks
	}
	if strings.HasPrefix(target, "/") {
		w.at = "/"
	}
	w.info = nil
	w.todo = target + "/" + w.todo
	return nil
}

// inKernel reports whether a canonical path is one of the kernel's own.
func inKernel(path string) bool {
	for _, dir := range []string{"/proc", "/dev", "/sys"} {
		if path == dir || strings.HasPrefix(path, dir+"/") {
			return true
		}
	}
	return false
}

// cause leaves the path out of an error of package os.
func cause(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}
