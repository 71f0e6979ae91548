package paths

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Bounds of a path: its bytes, and the symlinks that it may lead through, as in the
// kernel.
const (
	MaxPath  = 4096
	maxLinks = 40
)

// Why a path leads nowhere, as the end of a sentence that begins with it.
var (
	ErrLinks    = errors.New("it leads through too many links")
	errUpAbsent = errors.New(".. follows a part that does not exist")
	errNotDir   = errors.New("a part of it is a file, not a directory")
)

// A Walk follows an absolute path segment by segment as the kernel does: links first,
// then "..". What is missing at its end stays as it is. The policy judges where a walk
// comes to, and tools go there.
type Walk struct {
	At   string                                 // so far, without links
	Todo string                                 // what is still to be walked
	Look func(path string) (fs.FileInfo, error) // in place of [os.Lstat], but for the path's end
	Stop func(at string) error                  // an error ends the walk there; nil never does

	Info   fs.FileInfo // nil where nothing is there
	Passed []string    // the links on the way, and the folders that were left through ".."

	missing bool // nothing is at At
	links   int
}

// Run walks to the end.
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
	look := os.Lstat
	if w.Look != nil && w.Todo != "" {
		look = w.Look
	}
	info, err := look(next)
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
