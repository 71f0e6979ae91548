package place

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/paths"
)

// Known returns the place of an absolute path without symlinks, and does not look at the
// file system.
func (t Roots) Known(path string) Path {
	return t.From(Path{Given: path, Canonical: path})
}

// From returns a place as it is seen from these roots.
func (t Roots) From(at Path) Path {
	at.Rel = "."
	if at.Canonical != t.Workspace {
		at.Rel = strings.TrimPrefix(at.Canonical, strings.TrimSuffix(t.Workspace, "/")+"/")
	}
	at.Inside = paths.Holds(t.Workspace, at.Canonical) && paths.Holds(t.Start(), at.Canonical)
	return at
}

// Child returns the place of an entry of a directory, as if it did not exist.
func (dir Path) Child(name string) Path {
	child := dir
	child.Given, child.Canonical = Join(dir.Given, name), Join(dir.Canonical, name)
	child.Info, child.Rel = nil, filepath.Join(dir.Rel, name)
	return child
}

// Join joins a clean absolute directory and a name, which may be empty, without cleaning.
func Join(dir, name string) string {
	if dir == "/" {
		return "/" + name
	}
	return dir + "/" + name
}

// Lookup is Resolve for paths that may fail: such a path is only cleaned as text.
func Lookup(t Roots, path, dir string) Path {
	at, err := t.Resolve(dir, path)
	if err == nil {
		return at
	}
	given := path
	if !strings.HasPrefix(path, "/") {
		given = dir + "/" + path
	}
	given = t.regiven(filepath.Clean(given))
	at = t.Known(given)
	at.ThroughKernel = errors.Is(err, errKernel) && (!InKernel(given) || strings.Contains(path, "..")) || InKernel(given) && !plainDevice.MatchString(given)
	return at
}

// Link returns the place of a path itself, if that is a symlink.
func (t Roots) Link(dir, path string) (Path, bool) {
	folder, name := filepath.Split(strings.TrimRight(path, "/"))
	in, err := t.Resolve(dir, cmp.Or(folder, "."))
	if err != nil || name == "" {
		return Path{}, false
	}
	link := in.Child(name)
	info, err := os.Lstat(link.Canonical)
	return link, err == nil && info.Mode()&os.ModeSymlink != 0
}
