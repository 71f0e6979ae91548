// Package files has the tools that read, write and search files: read, write,
// edit, list, glob and grep.
//
//	ws, err := files.New(files.Options{Root: "/home/ada/project", Readable: policy.Readable})
//	defer ws.Close()
//	set, err := tools.NewSet(entries(ws.Tools()), options)
//
// A call names a file by its path from the root, or by an absolute path. That a
// path may be touched is for the guard of the set to decide; that nothing else
// is touched is decided here: the path is walked once, links and all, and what
// it led to is then opened folder by folder without following any link, each
// folder compared with what stood there a moment before. A link that is swapped
// in between makes the call fail. Where a path led through a link, the place it
// led to has to be allowed as well.
//
// Searches skip .git, .flow, links, binary files and what git ignores, though
// not what .gitignore says of a folder or file that the call names.
package files

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/folder"
	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/tools"
)

// Options say what files there are.
type Options struct {
	Root string // the folder that paths start at
	Home string // absolute, what ~ stands for; where it is "" a path with ~ is refused

	// Readable reports whether the policy lets a file be read, or a folder be
	// looked into. The path is absolute and has no links. Results of list, glob
	// and grep that are not readable are left out. Nil lets everything inside
	// of the root be read.
	Readable func(path string) bool

	// Writable reports the same of writing, for paths that led through a link.
	// Nil lets everything inside of the root be written.
	Writable func(path string) bool

	// Extra are folders that may be read whatever Readable says, such as the
	// one of whole outputs. The paths are absolute; they need not exist yet.
	Extra []string
}

// A Workspace is the files that tools work on. It is safe for concurrent use.
type Workspace struct {
	options Options
	path    string // of the root, without links
	extras  []string
	root    *os.Root
}

// New opens the root. It is the caller's to close the workspace.
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

// Close lets go of the root. Calls that still run may fail.
func (w *Workspace) Close() error { return w.root.Close() }

// Tools returns read, write, edit, list, glob and grep.
func (w *Workspace) Tools() []tools.Tool {
	return []tools.Tool{w.readTool(), w.writeTool(), w.editTool(), w.listTool(), w.globTool(), w.grepTool()}
}

// readable reports whether results may show a path that has no links.
func (w *Workspace) readable(path string) bool {
	return w.extra(path) || w.allows(w.options.Readable, path)
}

func (w *Workspace) allows(rule func(string) bool, path string) bool {
	if rule == nil {
		return folder.Holds(w.path, path)
	}
	return rule(path)
}

// extra reports whether path is in a folder that may always be read.
func (w *Workspace) extra(path string) bool {
	return slices.ContainsFunc(w.extras, func(extra string) bool { return folder.Holds(extra, path) })
}

// shown returns the name of a path in results: from the root where it is inside.
func (w *Workspace) shown(path string) string {
	if path == w.path {
		return "."
	}
	if rest, ok := strings.CutPrefix(path, w.path+"/"); ok {
		return rest
	}
	return path
}
