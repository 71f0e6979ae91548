package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/a-seed-11b9befa/flow/internal/nearest"
	"github.com/a-seed-11b9befa/flow/internal/paths"
)

var (
	errFolder  = errors.New("it is a folder; list shows what is in it")
	errSpecial = errors.New("it is not a regular file")
)

// open opens a regular file in a folder for reading. It follows no symlink, and neither
// opens a pipe or a device nor waits for one.
func open(folder *os.Root, name string) (*os.File, fs.FileInfo, error) {
	before, err := folder.Lstat(name)
	if err != nil {
		return nil, nil, err
	}
	if err := regular(before); err != nil {
		return nil, nil, err
	}
	f, err := folder.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	after, err := f.Stat()
	if err != nil || !os.SameFile(before, after) {
		f.Close()
		return nil, nil, errSwapped
	}
	return f, after, nil
}

func regular(info fs.FileInfo) error {
	switch mode := info.Mode(); {
	case mode.IsDir():
		return errFolder
	case mode&fs.ModeSymlink != 0:
		return errSwapped
	case !mode.IsRegular():
		return errSpecial
	}
	return nil
}

// file is a file that is open for reading, and its path.
type file struct {
	*os.File
	path string // absolute, without symlinks
	info fs.FileInfo
}

// openFile opens the file that a call names. Errors are for the model.
func (w *Workspace) openFile(path string) (*file, error) {
	real, err := w.locate(path, reading)
	if err != nil {
		return nil, err
	}
	return w.openReal(path, real)
}

// Open opens a regular file for reading, as the tool read does, if Readable allows it. The
// caller has to close it.
func (w *Workspace) Open(path string) (*os.File, error) {
	real, err := w.locate(path, reading)
	if err == nil && !w.readable(real) {
		err = fmt.Errorf("%q: %w", path, fs.ErrPermission)
	}
	if err != nil {
		return nil, err
	}
	f, err := w.openReal(path, real)
	if err != nil {
		return nil, err
	}
	return f.File, nil
}

// openReal opens the file at real, to which path leads.
func (w *Workspace) openReal(path, real string) (*file, error) {
	folder, err := w.folder(filepath.Dir(real), false)
	if err != nil {
		return nil, w.explain(path, real, err)
	}
	defer folder.Close()
	f, info, err := open(folder, filepath.Base(real))
	if err != nil {
		return nil, w.explain(path, real, err)
	}
	return &file{File: f, path: real, info: info}, nil
}

// explain returns an error about a path, with a hint at what may have been meant.
func (w *Workspace) explain(path, real string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%q can't be opened: %w", path, paths.Cause(err))
	}
	if near := w.nearest(real); near != "" {
		return fmt.Errorf("there is no %q (did you mean %q?)", path, near)
	}
	return fmt.Errorf("there is no %q", path)
}

// nearest returns a readable path whose name looks like that of a missing one, or like that
// of the first missing folder around it.
func (w *Workspace) nearest(real string) string {
	for real != w.path && paths.Holds(w.path, real) {
		parent := filepath.Dir(real)
		names, err := w.names(parent)
		if err == nil {
			if near := nearest.Of(filepath.Base(real), names); near != "" {
				return w.shown(filepath.Join(parent, near))
			}
			return ""
		}
		real = parent
	}
	return ""
}

// names returns the readable names among the first 1,000 in a folder.
func (w *Workspace) names(path string) (names []string, err error) {
	folder, err := w.folder(path, false)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	all, _, err := readFolder(context.Background(), folder, 1000)
	for _, e := range all {
		if name := e.Name(); !strings.HasPrefix(name, ".flow") && w.readable(filepath.Join(path, name)) {
			names = append(names, name)
		}
	}
	return names, err
}
