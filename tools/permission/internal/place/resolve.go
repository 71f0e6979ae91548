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
	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
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
	if len(path) > 2*paths.MaxPath {
		return Path{}, errors.New("it is longer than 4096 bytes")
	}
	p.Given = t.regiven(filepath.Clean(path))
	w := paths.Walk{At: "/", Todo: path, Look: t.look, Stop: outOfKernel}
	for _, known := range []string{t.Workspace, t.Home} { // they were resolved when the policy was built
		if rest, ok := strings.CutPrefix(path, strings.TrimSuffix(known, "/")+"/"); ok && known != "" {
			w.At, w.Todo = known, rest
			break
		}
	}
	if err := w.Run(); err != nil {
		return Path{}, err
	}
	p.Canonical, p.Info, p.Passed = w.At, w.Info, w.Passed
	p.Rel, p.Inside = t.inside(w.At)
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
	case len(path) > paths.MaxPath:
		return errors.New("it is longer than 4096 bytes")
	}
	if what := pattern.StrangeRune(path, ""); what != "" {
		return errors.New("it holds " + what)
	}
	return nil
}

// look looks at a part of a path, from which that goes on.
func (t Roots) look(path string) (fs.FileInfo, error) {
	if t.seen == nil {
		return os.Lstat(path)
	}
	found, ok := t.seen[path]
	if !ok {
		found.info, found.err = os.Lstat(path)
		t.seen[path] = found
	}
	return found.info, found.err
}

var errKernel = errors.New("it leads through /proc, /dev or /sys")

func outOfKernel(at string) error {
	if InKernel(at) {
		return errKernel
	}
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
