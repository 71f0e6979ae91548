// Package place says where a path leads, as the kernel would walk it, and which
// files are secrets, belong to the kernel, or are never written.
package place

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/folder"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
)

// Bounds of a path: its bytes, and the symlinks that it may lead through.
const (
	MaxPath  = 4096
	MaxLinks = 40
)

// Path is where a path leads, walked as the kernel walks it.
type Path struct {
	// Given is the absolute path as it was written, cleaned as text.
	Given string
	// Canonical is the absolute path without symlinks. Its tail may be missing
	// from the file system.
	Canonical string
	// Rel is Canonical from the workspace, when Inside is true; "." is the
	// workspace itself. Inside is what is in the step's part of the workspace.
	Rel    string
	Inside bool
	Info   fs.FileInfo // nil when nothing is there
	Slash  bool        // the path ends in a slash
	// ThroughKernel says that a link leads into /proc, /dev or /sys; then
	// Canonical is only the text.
	ThroughKernel bool
	// Passed are the symlinks and the directories left through .. on the way.
	Passed []string
}

// IsDir reports whether a directory is there.
func (p Path) IsDir() bool { return p.Info != nil && p.Info.IsDir() }

// Name is the path from the workspace root, or the whole path outside.
func (p Path) Name() string {
	if p.Inside {
		return p.Rel
	}
	return p.Canonical
}

// Roots knows the directories that paths start from.
type Roots struct {
	Workspace      string // canonical
	WorkspaceGiven string
	Part           string // of the workspace, canonical: where a step works; "" is all of it
	Home           string
	Secrets        [][]pattern.Atom
	Records        []string // folders of runs that are not in .flow/runs, canonical
	// seen are the directories that were looked at while one command is judged;
	// nil keeps none.
	seen map[string]lookedAt
}

// lookedAt is what was found at a path.
type lookedAt struct {
	info fs.FileInfo
	err  error
}

// Caching returns roots that look at each directory once.
func (t Roots) Caching() Roots {
	t.seen = map[string]lookedAt{}
	return t
}

// relative returns a path from the workspace root.
func (t Roots) relative(canonical string) (rel string, inside bool) {
	if canonical == t.Workspace {
		return ".", true
	}
	return strings.CutPrefix(canonical, strings.TrimSuffix(t.Workspace, "/")+"/")
}

// Start is the folder that the words of rules mean: the part that the step works in.
func (t Roots) Start() string { return cmp.Or(t.Part, t.Workspace) }

// inside is relative for the part of the workspace that the step works in.
func (t Roots) inside(canonical string) (rel string, inside bool) {
	if t.Part != "" && !folder.Holds(t.Part, canonical) {
		return "", false
	}
	return t.relative(canonical)
}

// ResolveTilde resolves a path in which ~ stands for the home directory.
func (t Roots) ResolveTilde(dir, path string) (Path, error) {
	if rest, ok := strings.CutPrefix(path, "~"); ok {
		if rest != "" && rest[0] != '/' {
			return Path{}, errors.New("it names another user's home directory")
		}
		if t.Home == "" {
			return Path{}, errors.New("there is no home directory")
		}
		path = t.Home + rest
	}
	return t.Resolve(dir, path)
}

// Resolve walks a path from dir, which is absolute. The error is the end of a
// sentence that begins with the path.
func (t Roots) Resolve(dir, path string) (Path, error) {
	if err := CheckPath(path); err != nil {
		return Path{}, err
	}
	p := Path{Slash: strings.HasSuffix(path, "/")}
	if !strings.HasPrefix(path, "/") {
		path = dir + "/" + path
	}
	if len(path) > 2*MaxPath {
		return Path{}, errors.New("it is longer than 4096 bytes")
	}
	p.Given = t.regiven(filepath.Clean(path))
	w := pathWalk{at: "/", todo: path, seen: t.seen}
	for _, known := range []string{t.Workspace, t.Home} { // they were resolved when the policy was built
		if rest, ok := strings.CutPrefix(path, strings.TrimSuffix(known, "/")+"/"); ok && known != "" {
			w.at, w.todo = known, rest
			break
		}
	}
	if err := w.run(); err != nil {
		return Path{}, err
	}
	p.Canonical, p.Info, p.Passed = w.at, w.info, w.passed
	p.Rel, p.Inside = t.inside(w.at)
	return p, nil
}

// regiven writes a path below the root as the caller named it with the root's
// canonical name, so that rules from the root see it.
func (t Roots) regiven(path string) string {
	if rest, ok := strings.CutPrefix(path, t.WorkspaceGiven); ok && (rest == "" || rest[0] == '/') {
		return strings.TrimSuffix(t.Workspace, "/") + rest
	}
	return path
}

// CheckPath returns why no rule and no call can name a path, as the end of a
// sentence that begins with the path.
func CheckPath(path string) error {
	switch {
	case path == "":
		return errors.New("it is empty")
	case len(path) > MaxPath:
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
	if InKernel(w.at) {
		return errKernel
	}
	for w.todo != "" {
		var segment string
		segment, w.todo, _ = strings.Cut(w.todo, "/")
		if err := w.step(segment); err != nil {
			return err
		}
		if InKernel(w.at) {
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
	// ErrLinks is returned where a path goes round in symlinks, or nearly.
	ErrLinks = errors.New("it leads through too many links")
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
		return errors.New("it cannot be looked up: " + Cause(err))
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
		return errors.New("a link cannot be read: " + Cause(err))
	}
	if w.links > MaxLinks || len(target)+len(w.todo) > 4*MaxPath {
		return ErrLinks
	}
	if strings.HasPrefix(target, "/") {
		w.at = "/"
	}
	w.info = nil
	w.todo = target + "/" + w.todo
	return nil
}

// InKernel reports whether a canonical path is one of the kernel's own.
func InKernel(path string) bool {
	for _, dir := range []string{"/proc", "/dev", "/sys"} {
		if path == dir || strings.HasPrefix(path, dir+"/") {
			return true
		}
	}
	return false
}

// Cause leaves the path out of an error of package os.
func Cause(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}
