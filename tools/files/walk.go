package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const (
	mostLinks = 40   // of one path, as in the kernel
	mostPath  = 4096 // bytes
)

// walk returns where an absolute path leads, as the kernel walks it: links
// first, then "..". What is missing at its end stays as it is.
func walk(path string) (string, error) {
	at, missing, links := "/", false, 0
	for rest := split(path); len(rest) > 0; {
		name := rest[0]
		rest = rest[1:]
		switch {
		case name == ".":
			continue
		case name == ".." && missing:
			return "", errors.New("\"..\" after a folder that does not exist")
		case name == "..":
			at = filepath.Dir(at)
			continue
		case missing:
			at = filepath.Join(at, name)
			continue
		}
		next := filepath.Join(at, name)
		info, err := os.Lstat(next)
		if errors.Is(err, fs.ErrNotExist) {
			at, missing = next, true
			continue
		}
		if err != nil {
			return "", reason(err)
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			at = next
			continue
		}
		if links++; links > mostLinks {
			return "", errors.New("too many links")
		}
		target, err := os.Readlink(next)
		if err != nil {
			return "", reason(err)
		}
		if filepath.IsAbs(target) {
			at = "/"
		}
		rest = append(split(target), rest...)
	}
	return at, nil
}

func split(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
}

// A purpose is what a path is opened for.
type purpose bool

const (
	reading purpose = false
	writing purpose = true
)

// locate returns the place that a call names, absolute and without links. A
// path without links is the one that the guard has judged. Where one led
// elsewhere, that place has to be allowed too: the link may be newer than the
// judgement.
func (w *Workspace) locate(path string, p purpose) (string, error) {
	if err := checkPath(path); err != nil {
		return "", err
	}
	named := w.absolute(path)
	real, err := walk(named)
	if err != nil {
		return "", fmt.Errorf("%q: %w", path, err)
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

func checkPath(path string) error {
	switch {
	case path == "":
		return errors.New("the path is empty")
	case len(path) > mostPath:
		return fmt.Errorf("the path has %d bytes; the most is %d", len(path), mostPath)
	case strings.ContainsRune(path, 0):
		return errors.New("the path has a NUL character")
	}
	return nil
}

// absolute returns path with the root before it, not cleaned: ".." is walked. A
// path through the root as the user spells it starts at the root itself.
func (w *Workspace) absolute(path string) string {
	if !filepath.IsAbs(path) {
		return w.path + "/" + path
	}
	if within(path, w.options.Root) {
		return w.path + "/" + path[len(w.options.Root):]
	}
	return path
}

// folder opens a folder without following a link: each one on the way has to be
// what stood there before it was opened. With create, what is missing is made.
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

// base returns an open folder that is above path, and the way from there.
func (w *Workspace) base(path string) (*os.Root, []string, error) {
	if within(path, w.path) {
		at, err := w.root.OpenRoot(".")
		return at, split(path[len(w.path):]), err
	}
	at, err := os.OpenRoot("/")
	return at, split(path), err
}

var errSwapped = errors.New("it was replaced while it was being opened")

// enter opens the folder of that name.
func enter(at *os.Root, name string, create bool) (*os.Root, error) {
	before, err := at.Lstat(name)
	if create && errors.Is(err, fs.ErrNotExist) {
		if err := at.Mkdir(name, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("folder %q: %w", name, reason(err))
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
