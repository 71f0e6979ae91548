package held

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// absorbCaches moves what the command has put into caches to the layers of the run.
func (v *View) absorbCaches() {
	if v.call.DropAside {
		return
	}
	for _, up := range v.caches {
		up.mu.Lock()
		_ = absorb(up.path, up.layer) // a cache that lacks something is a slow one
		up.mu.Unlock()
	}
}

// absorb moves one path of an upper folder into a layer of the same kind.
func absorb(from, to string) error {
	var info, old unix.Stat_t
	if err := unix.Lstat(from, &info); err != nil {
		return err
	}
	err := unix.Lstat(to, &old)
	if gone(err) {
		return move(from, to)
	}
	if err != nil {
		return err
	}
	isFolder := func(i unix.Stat_t) bool { return i.Mode&unix.S_IFMT == unix.S_IFDIR }
	names, err := attributes(from)
	if err != nil {
		return err
	}
	if !isFolder(info) && !isFolder(old) {
		return move(from, to)
	}
	if !isFolder(info) || !isFolder(old) || slices.Contains(names, opaqueName) {
		if err := removeAll(to); err != nil {
			return err
		}
		return move(from, to)
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if err := absorb(filepath.Join(from, entry.Name()), filepath.Join(to, entry.Name())); err != nil {
			return err
		}
	}
	return nil
}

// move renames a path, or copies it where that leads to another file system.
func move(from, to string) error {
	err := os.Rename(from, to)
	if !errors.Is(err, unix.EXDEV) {
		return err
	}
	return copyTree(from, to)
}
