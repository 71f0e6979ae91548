package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/paths"
)

// walk resolves an absolute path, exactly as the policy does when it judges a call.
func walk(path string) (string, error) {
	w := paths.Walk{At: "/", Todo: path}
	err := w.Run()
	return w.At, err
}

func split(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
}

// purpose is what a path is opened for.
type purpose bool

const (
	reading purpose = false
	writing purpose = true
)

// locate returns the path that a call names, absolute and with symlinks resolved. The guard
// has judged it if there were no symlinks. If there were, it has to be allowed too, because
// a symlink may be newer than the judgement.
func (w *Workspace) locate(path string, p purpose) (string, error) {
	named, real, err := w.resolve(path)
	if err != nil {
		return "", err
	}
	if real == filepath.Clean(named) {
		return real, nil
	}
	allowed := w.readable(real)
	if p == writing {
		allowed = w.allows(w.options.Writable, real)
	}
	if !allowed {
		return "", fmt.Errorf("%q leads elsewhere through a link, where the policy does not allow it", path)
	}
	return real, nil
}

// resolve returns the absolute form of a path, and where it leads.
func (w *Workspace) resolve(path string) (named, real string, err error) {
	if err := checkPath(path); err != nil {
		return "", "", err
	}
	named, err = w.absolute(path)
	if err == nil {
		real, err = walk(named)
	}
	if err != nil {
		return "", "", fmt.Errorf("%q: %w", path, err)
	}
	return named, real, nil
}

func checkPath(path string) error {
	switch {
	case path == "":
		return errors.New("the path is empty")
	case len(path) > paths.MaxPath:
		return fmt.Errorf("the path has %d bytes; the most is %d", len(path), paths.MaxPath)
	case strings.ContainsRune(path, 0):
		return errors.New("the path has a NUL character")
	}
	return nil
}

// absolute returns the absolute form of a path, not cleaned, because ".." has to be walked.
// The root's given path is replaced by its real one, and ~ means what it means to the
// policy.
func (w *Workspace) absolute(path string) (string, error) {
	if rest, ok := strings.CutPrefix(path, "~"); ok {
		if w.options.Home == "" || rest != "" && rest[0] != '/' {
			return "", errors.New("~ is nobody's folder here; a file of that name is ./~")
		}
		path = w.options.Home + rest
	}
	if !filepath.IsAbs(path) {
		return w.path + "/" + path, nil
	}
	if paths.Holds(w.options.Root, path) {
		return w.path + "/" + path[len(w.options.Root):], nil
	}
	return path, nil
}

// folder opens a folder without following symlinks: each folder on the way has to be the
// one that was there before it was opened. With create, it creates missing folders.
func (w *Workspace) folder(path string, create bool) (*os.Root, error) {
	at, names, err := w.base(path)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		next, err := enter(at, name, create)
		at.Close()
		if err != nil {
			return nil, err
		}
		at = next
	}
	return at, nil
}

// base returns an open folder above path, and the names from there to path.
func (w *Workspace) base(path string) (*os.Root, []string, error) {
	if paths.Holds(w.path, path) {
		at, err := w.root.OpenRoot(".")
		return at, split(path[len(w.path):]), err
	}
	at, err := os.OpenRoot("/")
	return at, split(path), err
}

var errSwapped = errors.New("it was replaced while it was being opened")

// enter opens a subfolder. With create, it creates it if it is missing.
func enter(at *os.Root, name string, create bool) (*os.Root, error) {
	before, err := at.Lstat(name)
	if create && errors.Is(err, fs.ErrNotExist) {
		if err := at.Mkdir(name, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("folder %q: %w", name, paths.Cause(err))
		}
		before, err = at.Lstat(name)
	}
	if err != nil {
		return nil, err
	}
	if before.Mode()&fs.ModeSymlink != 0 {
		return nil, errSwapped
	}
	if !before.IsDir() {
		return nil, fmt.Errorf("%q is not a folder", name)
	}
	next, err := at.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	after, err := next.Stat(".")
	if err != nil || !os.SameFile(before, after) {
		next.Close()
		return nil, errSwapped
	}
	return next, nil
}
