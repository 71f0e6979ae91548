package held

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// effect is a change, and what it takes for it to land. The creation of a folder makes it, and
// its modification sets its mode; everything else that is not deleted is put in the place of
// what is there.
type effect struct {
	Change
	From  string `json:",omitempty"` // the path in the upper folder; "" for what is removed
	Mode  uint32
	same  bool   // the content has not changed
	never string // why it can't land
}

// setsMode reports whether the only change is that of the mode of a folder.
func (e effect) setsMode() bool { return e.Folder && e.Kind == Modify }

// maxEffects is how many paths one command may change.
const maxEffects = 1_000_000

// maxCompared is how much of the files that one command has opened for writing is compared with what they were, in
// bytes: a file takes no room if it has nothing but a size.
const maxCompared = 1 << 30

// maxPath is the longest path of a folder that is collected, in bytes: the system
// takes paths of 4096, and a name in the folder may have 255.
const maxPath = 4096 - 256 - 16

var errTooMany = fmt.Errorf("it changed more than %d files", maxEffects)

const (
	overlayPrefix = "user.overlay."
	opaqueName    = overlayPrefix + "opaque"
	powersName    = "security.capability"
)

// collector finds the changes in an upper folder.
type collector struct {
	up      overlay
	view    *View
	aside   func(c Change) bool // whether the path is a by-product, with all below it
	effects []effect
	asides  []string // the by-products, from the root of the upper; only the outermost paths

	compared int64             // how much of files was compared
	closed   map[string]uint32 // the modes of folders that were opened to their owner, by path from there
}

// collect walks a folder of the upper. base says that the folder exists below it; opaque,
// that it replaces that folder with all that is in it.
func (c *collector) collect(rel string, base, opaque bool) error {
	if len(c.up.Upper)+1+len(rel) > maxPath {
		c.effects = append(c.effects, effect{Change: c.change(rel, Modify), never: "its path is too long"})
		return nil
	}
	entries, err := os.ReadDir(filepath.Join(c.up.Upper, rel))
	if errors.Is(err, fs.ErrPermission) {
		c.unreadable(rel, Modify)
		return nil
	}
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if len(c.effects) > maxEffects {
			return errTooMany
		}
		if err := c.entry(filepath.Join(rel, entry.Name()), base, opaque); err != nil {
			return err
		}
	}
	return nil
}

// unreadable adds a change that can't land, because it can't be said what it is.
func (c *collector) unreadable(rel string, kind Kind) {
	c.effects = append(c.effects, effect{Change: c.change(rel, kind), never: "it can't be read"})
}

func (c *collector) change(rel string, kind Kind) Change {
	return c.view.change(c.up.Target, rel, kind)
}

// entry collects one path of the upper folder.
func (c *collector) entry(rel string, base, opaque bool) error {
	e := effect{Change: c.change(rel, Create), From: filepath.Join(c.up.Upper, rel)}
	var info, old unix.Stat_t
	if err := unix.Lstat(e.From, &info); err != nil {
		return fmt.Errorf("%s: %w", e.From, err)
	}
	e.Mode = info.Mode & 0o7777
	there := false
	if base {
		switch err := unix.Lstat(e.Path, &old); {
		case errors.Is(err, fs.ErrPermission): // its folder is closed, and the command has opened it
			c.unreadable(rel, Modify)
			return nil
		case err == nil:
			e.Kind, there = Modify, true
		}
	}
	switch {
	case whiteout(info):
		return c.deleted(rel, old, there)
	case info.Mode&unix.S_IFMT == unix.S_IFDIR:
		return c.folder(rel, e, old, there, opaque)
	}
	unchanged, err := c.leaf(&e, info, old, there)
	unchanged = unchanged || there && c.onlyRewritten(rel, e)
	if err != nil || unchanged || c.setAside(rel, e.Change) {
		return err
	}
	if there && old.Mode&unix.S_IFMT == unix.S_IFDIR {
		if err := c.removed(rel, false); err != nil {
			return err
		}
	}
	c.effects = append(c.effects, e)
	return nil
}

// leaf looks at a path that is not a folder, and reports whether it is unchanged.
func (c *collector) leaf(e *effect, info, old unix.Stat_t, there bool) (unchanged bool, err error) {
	switch info.Mode & unix.S_IFMT {
	case unix.S_IFLNK:
		if e.Link, err = os.Readlink(e.From); err != nil {
			return false, err
		}
		was, err := os.Readlink(e.Path)
		return there && err == nil && was == e.Link, nil
	case unix.S_IFREG:
		names, err := attributes(e.From)
		switch {
		case err != nil:
			return false, err
		case info.Mode&(unix.S_ISUID|unix.S_ISGID) != 0:
			e.never = "it has a set-id bit"
		case slices.Contains(names, powersName):
			e.never = "it has capabilities"
		}
		if there && old.Mode == info.Mode && old.Size == info.Size && c.compared+info.Size <= maxCompared {
			c.compared += info.Size
			e.same, err = sameContent(e.From, e.Path)
		}
		return e.same && info.Mtim == old.Mtim, err // it was only opened for writing
	}
	e.never = "it is a special file"
	return false, nil
}

func whiteout(info unix.Stat_t) bool {
	return info.Mode&unix.S_IFMT == unix.S_IFCHR && info.Rdev == 0
}

func (c *collector) setAside(rel string, change Change) bool {
	if c.aside == nil || !c.aside(change) {
		return false
	}
	c.asides = append(c.asides, rel)
	return true
}

// folder collects a folder and what is in it.
func (c *collector) folder(rel string, e effect, old unix.Stat_t, there, opaque bool) error {
	wasFolder := there && old.Mode&unix.S_IFMT == unix.S_IFDIR
	names, err := attributes(e.From)
	if err != nil {
		return err
	}
	opaque = opaque || slices.Contains(names, opaqueName)
	e.Folder = true
	if mode, opened := openToOwner(e.From); opened { // so that what is in it can be read, and moved to where it lands
		c.closed[rel] = mode
	}
	if (!wasFolder || opaque) && c.setAside(rel, e.Change) {
		return nil
	}
	switch {
	case !wasFolder:
		if there {
			c.effects = append(c.effects, effect{Change: c.change(rel, Delete)})
		}
		e.Kind = Create
		e.Mode &^= unix.S_ISUID | unix.S_ISGID
		c.effects = append(c.effects, e)
	case old.Mode&0o777 != e.Mode&0o777:
		e.Mode &= 0o777
		c.effects = append(c.effects, e)
	}
	if wasFolder && opaque {
		if err := c.removed(rel, true); err != nil {
			return err
		}
	}
	return c.collect(rel, wasFolder, opaque && wasFolder)
}

// deleted collects a path that the command has deleted.
func (c *collector) deleted(rel string, old unix.Stat_t, there bool) error {
	change := c.change(rel, Delete)
	change.Folder = there && old.Mode&unix.S_IFMT == unix.S_IFDIR
	if !there {
		// It was only in the layer, or somebody else has deleted it too.
		c.asides = append(c.asides, rel)
		return nil
	}
	if c.setAside(rel, change) {
		return nil
	}
	return c.removed(rel, false)
}

// removed adds the removal of a path with all that is in it. If it is a folder that was
// replaced, only what is not in the new one is removed.
func (c *collector) removed(rel string, replaced bool) error {
	top := filepath.Join(c.up.Target, rel)
	return filepath.WalkDir(top, func(path string, entry os.DirEntry, err error) error {
		switch {
		case gone(err):
			return nil
		case errors.Is(err, fs.ErrPermission):
			at, _ := filepath.Rel(c.up.Target, path)
			c.unreadable(at, Delete)
			return nil
		case err != nil:
			return err
		case len(c.effects) > maxEffects:
			return errTooMany
		case replaced && path == top:
			return nil
		}
		at, _ := filepath.Rel(c.up.Target, path)
		if _, err := os.Lstat(filepath.Join(c.up.Upper, at)); replaced && err == nil { // it is collected as a change
			if entry.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		e := effect{Change: c.change(at, Delete)}
		e.Folder = entry.IsDir()
		c.effects = append(c.effects, e)
		return nil
	})
}

// attributes returns the names of the extended attributes of a path.
func attributes(path string) ([]string, error) {
	size, err := unix.Llistxattr(path, nil)
	if errors.Is(err, unix.ENOTSUP) || size == 0 && err == nil {
		return nil, nil
	}
	buffer := make([]byte, size)
	if err == nil {
		size, err = unix.Llistxattr(path, buffer)
	}
	if err != nil {
		return nil, fmt.Errorf("attributes of %s: %w", path, err)
	}
	return strings.Split(strings.TrimSuffix(string(buffer[:size]), "\x00"), "\x00"), nil
}

// sameContent reports whether two files of the same size have the same content. What can't be
// read counts as changed.
func sameContent(a, b string) (bool, error) {
	x, err := os.Open(a)
	if errors.Is(err, fs.ErrPermission) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer x.Close()
	y, err := os.OpenFile(b, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return false, nil
	}
	defer y.Close()
	p, q := make([]byte, 64<<10), make([]byte, 64<<10)
	for {
		n, errA := io.ReadFull(x, p)
		m, errB := io.ReadFull(y, q)
		if n != m || !bytes.Equal(p[:n], q[:m]) {
			return false, nil
		}
		if errA != nil || errB != nil {
			return errors.Is(errA, io.EOF) || errors.Is(errA, io.ErrUnexpectedEOF), nil
		}
	}
}
