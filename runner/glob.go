package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/bmatcuk/doublestar/v4"
)

// What the function glob of an expression looks for is the author's own choice,
// and still bounded.
const (
	maxGlobPaths  = 100_000
	maxGlobVisits = 2_000_000 // names that are looked at
)

var errTooManyPaths = errors.New("more than 100,000 paths")

// glob returns the files in a folder whose paths fit the pattern, sorted; **
// crosses folders. It looks at so many names at most, and until ctx ends.
func glob(ctx context.Context, folder, pattern string, visits int) ([]string, error) {
	tree := &visitedTree{FS: os.DirFS(folder), folder: folder, ctx: ctx, visits: visits}
	paths := []string{}
	err := doublestar.GlobWalk(tree, pattern, func(path string, entry fs.DirEntry) error {
		if len(paths) == maxGlobPaths {
			return errTooManyPaths
		}
		paths = append(paths, path)
		return tree.stopped
	}, doublestar.WithFilesOnly(), doublestar.WithNoFollow())
	if err = cmp.Or(tree.stopped, err); err != nil {
		return nil, fmt.Errorf("glob %q: %w", pattern, err)
	}
	slices.Sort(paths)
	return paths, nil
}

// A visitedTree is a folder whose names are counted as they are looked at. Who
// walks it passes over folders that can't be read: what stops the walk is kept.
type visitedTree struct {
	fs.FS
	folder          string
	ctx             context.Context
	visited, visits int
	stopped         error
}

func (t *visitedTree) visit(n int) error {
	if t.visited += n; t.stopped == nil && t.visited > t.visits {
		t.stopped = fmt.Errorf("more than %d files to look at; name the folders to search", t.visits)
	}
	t.stopped = cmp.Or(t.stopped, context.Cause(t.ctx))
	return t.stopped
}

// Stat looks at one name. A pipe is not opened for that.
func (t *visitedTree) Stat(name string) (fs.FileInfo, error) {
	if err := t.visit(1); err != nil {
		return nil, err
	}
	return fs.Stat(t.FS, name)
}

// ReadDir lists a folder, sorted. It reads a part of it at a time, so that a huge one takes no more memory than
// its names that are looked at.
func (t *visitedTree) ReadDir(name string) (all []fs.DirEntry, err error) {
	if err := t.visit(1); err != nil {
		return nil, err
	}
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	folder, err := os.OpenFile(filepath.Join(t.folder, filepath.FromSlash(name)), os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	for err == nil {
		var some []fs.DirEntry
		some, err = folder.ReadDir(1024)
		if stopped := t.visit(len(some)); stopped != nil {
			return nil, stopped
		}
		all = append(all, some...)
	}
	slices.SortFunc(all, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return all, err
}
