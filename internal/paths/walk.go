package paths

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Limits of a path, as in the kernel: its bytes, and the symlinks that it leads through.
const (
	MaxPath  = 4096
	maxLinks = 40
)

// Errors about a path, each the end of a sentence that begins with it.
var (
	ErrLinks    = errors.New("it leads through too many links")
	errUpAbsent = errors.New(".. follows a part that does not exist")
	errNotDir   = errors.New("a part of it is a file, not a directory")
)

// Walk resolves an absolute path segment by segment as the kernel does: symlinks before
// "..". The end of the path need not exist. The policy judges the result of a walk, and
// tools open it.
type Walk struct {
	At   string                // the path so far, with symlinks resolved
	Todo string                // the rest of the path
	Stop func(at string) error // called for each path on the way; an error ends the walk

	Info   fs.FileInfo // nil if the path does not exist
	Passed []string    // the symlinks that were followed, and the folders left through ".."

	missing bool // At does not exist
	links   int
}

// Run resolves the whole path.
func (w *Walk) Run() error {
	for {
		if w.Stop != nil {
			if err := w.Stop(w.At); err != nil {
				return err
			}
		}
		if w.Todo == "" {
			break
		}
		var segment string
		segment, w.Todo, _ = strings.Cut(w.Todo, "/")
		if err := w.step(segment); err != nil {
			return err
		}
	}
	if w.Info == nil && !w.missing {
		w.Info, _ = os.Lstat(w.At)
	}
	return nil
}

func (w *Walk) step(segment string) error {
	switch {
	case segment == "" || segment == ".":
		return nil
	case w.missing && segment == "..":
		return errUpAbsent
	case w.Info != nil && !w.Info.IsDir():
		return errNotDir
	case segment == "..":
		w.Passed = append(w.Passed, w.At)
		w.At, w.Info = filepath.Dir(w.At), nil
		return nil
	}
	next := strings.TrimSuffix(w.At, "/") + "/" + segment
	if w.missing {
		w.At = next
		return nil
	}
	info, err := os.Lstat(next)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		w.At, w.Info, w.missing = next, nil, true
		return nil
	case err != nil:
		return fmt.Errorf("it cannot be looked up: %w", Cause(err))
	case info.Mode()&fs.ModeSymlink != 0:
		return w.follow(next)
	}
	w.At, w.Info = next, info
	return nil
}

func (w *Walk) follow(link string) error {
	w.links++
	w.Passed = append(w.Passed, link)
	target, err := os.Readlink(link)
	if err != nil {
		return fmt.Errorf("a link cannot be read: %w", Cause(err))
	}
	if w.links > maxLinks || len(target)+len(w.Todo) > 4*MaxPath {
		return ErrLinks
	}
	if strings.HasPrefix(target, "/") {
		w.At = "/"
	}
	w.Info = nil
	w.Todo = target + "/" + w.Todo
	return nil
}
