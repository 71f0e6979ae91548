// Package place resolves paths as the kernel does, and knows which files are secrets,
// belong to the kernel, or are never written.
package place

import (
	"cmp"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
)

// Path is a resolved path.
type Path struct {
	// Given is the absolute path as it was written, cleaned as text.
	Given string
	// Canonical is the absolute path with all symlinks resolved. It need not exist.
	Canonical string
	// Rel is Canonical from the workspace, if Inside is true; "." is the workspace
	// itself. Inside says that it is in the step's part of the workspace.
	Rel    string
	Inside bool
	Info   fs.FileInfo // nil if it does not exist
	// ThroughKernel says that the path leads into /proc, /dev or /sys. Canonical is then
	// only the cleaned text.
	ThroughKernel bool
}

// IsDir reports whether the path is an existing directory.
func (p Path) IsDir() bool { return p.Info != nil && p.Info.IsDir() }

// Name returns the path from the workspace root, or the whole path if it is not inside.
func (p Path) Name() string {
	if p.Inside {
		return p.Rel
	}
	return p.Canonical
}

// Roots are the directories from which paths start, and where secrets are.
type Roots struct {
	Workspace      string // canonical
	WorkspaceGiven string
	Part           string // of the workspace, canonical: where a step works; "" is all of it
	PartGiven      string
	Home           string
	Records        []string // folders of runs that are not in .flow/runs, canonical
	Guarded        []string // files that no wildcard lets be written, canonical and folded
}

// IsGuarded reports whether only a rule that spells a file's whole path lets it be written.
func (t Roots) IsGuarded(at Path) bool {
	return slices.Contains(t.Guarded, pattern.Fold(at.Canonical))
}

// Start returns the folder in which the step works: Part, or the whole workspace.
func (t Roots) Start() string { return cmp.Or(t.Part, t.Workspace) }

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

// Resolve walks a path from dir, which is absolute. An error is the end of a sentence that
// begins with the path.
func (t Roots) Resolve(dir, path string) (Path, error) {
	if err := CheckPath(path); err != nil {
		return Path{}, err
	}
	if !strings.HasPrefix(path, "/") {
		path = dir + "/" + path
	}
	if len(path) > 2*paths.MaxPath {
		return Path{}, errors.New("it is longer than 4096 bytes")
	}
	p := Path{Given: t.regiven(filepath.Clean(path))}
	w := paths.Walk{At: "/", Todo: path, Stop: outOfKernel}
	for _, known := range []string{t.Workspace, t.Home} { // they were resolved when the policy was built
		if rest, ok := strings.CutPrefix(path, strings.TrimSuffix(known, "/")+"/"); ok && known != "" {
			w.At, w.Todo = known, rest
			break
		}
	}
	if err := w.Run(); err != nil {
		return Path{}, err
	}
	p.Canonical, p.Info = w.At, w.Info
	return t.From(p), nil
}

// regiven replaces the given name of the workspace, or of the step's part of it, at the beginning of a
// path by its canonical one, so that patterns from the workspace root match.
func (t Roots) regiven(path string) string {
	for _, known := range [][2]string{{t.PartGiven, t.Part}, {t.WorkspaceGiven, t.Workspace}} {
		if rest, ok := strings.CutPrefix(path, known[0]); ok && known[0] != "" && (rest == "" || rest[0] == '/') {
			return strings.TrimSuffix(known[1], "/") + rest
		}
	}
	return path
}

// CheckPath returns an error if neither a rule nor a call may name a path. The error is
// the end of a sentence that begins with the path.
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

var errKernel = errors.New("it leads through /proc, /dev or /sys")

func outOfKernel(at string) error {
	if InKernel(at) {
		return errKernel
	}
	return nil
}

// InKernel reports whether a canonical path is one of the kernel's own.
func InKernel(path string) bool { return paths.AnyHolds([]string{"/proc", "/dev", "/sys"}, path) }
