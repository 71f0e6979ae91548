package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/a-seed-11b9befa/flow/internal/folder"
	"github.com/a-seed-11b9befa/flow/internal/paths"
)

const (
	mostLinks = 40           // of one path, as in the kernel
	mostPath  = 4096         // bytes
	mostParts = 4 * mostPath // of a path and the links in it, that are still to be walked
)

// walk returns where an absolute path leads, as the kernel walks it: links
// first, then "..". What is missing at its end stays as it is. The policy walks a
// path alike when it judges a call: what the one takes and where it comes to, the
// other has to take and come to as well, which a test of the policy holds.
func walk(path string) (string, error) {
	w := way{at: "/", rest: split(path)}
	for len(w.rest) > 0 {
		name := w.rest[0]
		w.rest = w.rest[1:]
		if err := w.step(name); err != nil {
			return "", err
		}
	}
	return w.at, nil
}

// A way is a path that is being walked.
type way struct {
	at      string // without links
	rest    []string
	missing bool // nothing is there
	file    bool // and no folder
	links   int
}

func (w *way) step(name string) error {
	switch {
	case name == ".":
		return nil
	case name == ".." && w.missing:
		return errors.New("\"..\" after a folder that does not exist")
	case w.file:
		return syscall.ENOTDIR
	case name == "..":
		w.at = filepath.Dir(w.at)
		return nil
	case w.missing:
		w.at = filepath.Join(w.at, name)
		return nil
	}
	next := filepath.Join(w.at, name)
	info, err := os.Lstat(next)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		w.at, w.missing = next, true
		return nil
	case err != nil:
		return paths.Cause(err)
	case info.Mode()&fs.ModeSymlink != 0:
		return w.follow(next)
	}
	w.at, w.file = next, !info.IsDir()
	return nil
}

func (w *way) follow(link string) error {
	target, err := os.Readlink(link)
	if err != nil {
		return paths.Cause(err)
	}
	w.links++
	if w.links > mostLinks || len(target)+len(strings.Join(w.rest, "/")) > mostParts {
		return errors.New("too many links")
	}
	if filepath.IsAbs(target) {
		w.at = "/"
	}
	w.rest = append(split(target), w.rest...)
	return nil
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

// resolve returns a path as it is named from the root of all, and where it leads.
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
	case len(path) > mostPath:
		return fmt.Errorf("the path has %d bytes; the most is %d", len(path), mostPath)
	case strings.ContainsRune(path, 0):
		return errors.New("the path has a NUL character")
	}
	return nil
}

// absolute returns path with the root before it, not cleaned: ".." is walked. A
// path through the root as the user spells it starts at the root itself, and ~ is
// what it is for the policy.
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
	if folder.Holds(w.options.Root, path) {
		return w.path + "/" + path[len(w.options.Root):], nil
	}
	return path, nil
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
	if folder.Holds(w.path, path) {
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
