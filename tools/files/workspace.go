// Package files has the tools that read, write and search files: read, write,
// edit, list, glob and grep.
//
//	ws, err := files.New(files.Options{Root: "/home/ada/project", Readable: policy.Readable})
//	defer ws.Close()
//	set, err := tools.NewSet(entries(ws.Tools()), options)
//
// A call names a file by its path from the root, or by an absolute path. The guard of the
// set decides whether a path may be touched. This package makes sure that nothing else is:
// it resolves the path once, with symlinks, and then opens the result folder by folder
// without following any, comparing each folder with the one that was there a moment before.
// A call fails if a symlink is swapped in between. If a path led through a symlink, the
// place it led to has to be allowed as well.
//
// Searches skip .git, .flow, symlinks, binary files and what git ignores, except a folder
// or a file that the call itself names.
package files

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/paths"
)

// Options configure a workspace.
type Options struct {
	Root string // the folder where paths start
	Home string // what ~ stands for, absolute; if it is "" a path with ~ is refused

	// Readable reports whether the policy allows reading a file, or listing a folder. The
	// path is absolute, with symlinks resolved. The results of list, glob and grep leave
	// out what is not readable. Nil allows everything inside the root.
	Readable func(path string) bool

	// Writable reports whether the policy allows writing a file, for a path that led
	// through a symlink. Nil allows everything inside the root.
	Writable func(path string) bool

	// Extra are folders that may be read whatever Readable says, such as the one with
	// whole outputs. The paths are absolute, and need not exist yet.
	Extra []string
}

// Workspace are the files that tools work on. It is safe for concurrent use.
type Workspace struct {
	options Options
	path    string // of the root, with symlinks resolved
	extras  []string
	root    *os.Root
}

// New opens the root. The caller has to close the workspace.
func New(o Options) (*Workspace, error) {
	given, err := filepath.Abs(o.Root)
	if err != nil {
		return nil, fmt.Errorf("workspace %q: %w", o.Root, err)
	}
	path, err := filepath.EvalSymlinks(given)
	if err != nil {
		return nil, fmt.Errorf("workspace %q: %w", o.Root, paths.Cause(err))
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fmt.Errorf("workspace %q: %w", o.Root, paths.Cause(err))
	}
	o.Root = given
	w := &Workspace{options: o, path: path, root: root}
	for _, folder := range o.Extra {
		real, err := walk(folder)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("folder %q: %w", folder, err), root.Close())
		}
		w.extras = append(w.extras, real)
	}
	return w, nil
}

// Close closes the root. Running calls may fail.
func (w *Workspace) Close() error { return w.root.Close() }

// readable reports whether a path, with symlinks resolved, may be read.
func (w *Workspace) readable(path string) bool {
	return w.extra(path) || w.allows(w.options.Readable, path)
}

func (w *Workspace) allows(rule func(string) bool, path string) bool {
	if rule == nil {
		return paths.Holds(w.path, path)
	}
	return rule(path)
}

// extra reports whether path is in a folder that may always be read.
func (w *Workspace) extra(path string) bool { return paths.AnyHolds(w.extras, path) }

// shown returns a path in the form that results have: from the root if it is inside.
func (w *Workspace) shown(path string) string {
	if path == w.path {
		return "."
	}
	if rest, ok := strings.CutPrefix(path, w.path+"/"); ok {
		return rest
	}
	return path
}
