package held

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// absorbCaches moves the command's changes to caches into the layers of the run.
func (v *View) absorbCaches() {
	for _, up := range v.caches {
		for _, path := range v.space.o.Protected {
			leave(up, path)
		}
		up.mu.Lock()
		_ = absorb(up.path, up.layer, false) // a cache that lacks something is a slow one
		up.mu.Unlock()
	}
}

// leave drops a command's changes to a protected path in a cache. If it replaced a folder
// around the path, all changes in that are dropped.
func leave(up upper, path string) {
	rel, err := filepath.Rel(up.root, path)
	if err != nil || rel == "." || !filepath.IsLocal(rel) {
		return
	}
	parts, at := strings.Split(rel, "/"), up.path
	for i, part := range parts {
		at = filepath.Join(at, part)
		var info unix.Stat_t
		if unix.Lstat(at, &info) != nil {
			return
		}
		names, err := attributes(at)
		if i == len(parts)-1 || err != nil || info.Mode&unix.S_IFMT != unix.S_IFDIR || slices.Contains(names, opaqueName) {
			_ = removeAll(at)
			return
		}
	}
}

// absorb moves one path of an upper folder into a layer, or with lands true into the folder
// that the layer is above. Special files do not land, nor files that could give somebody
// the rights of this user.
func absorb(from, to string, lands bool) error {
	var info, old unix.Stat_t
	if err := unix.Lstat(from, &info); err != nil {
		return err
	}
	err := unix.Lstat(to, &old)
	if err != nil && !gone(err) {
		return err
	}
	there := err == nil
	names, err := attributes(from)
	if err != nil {
		return err
	}
	isFolder, wasFolder := info.Mode&unix.S_IFMT == unix.S_IFDIR, old.Mode&unix.S_IFMT == unix.S_IFDIR
	switch {
	case lands && whiteout(info):
		return removeAll(to)
	case lands && !isFolder && !mayLand(info, names):
		return nil
	}
	if there && (isFolder != wasFolder || slices.Contains(names, opaqueName)) {
		if err := removeAll(to); err != nil {
			return err
		}
		there = false
	}
	if isFolder && (there || lands) {
		return absorbFolder(from, to, there, lands)
	}
	return move(from, to, lands)
}

func mayLand(info unix.Stat_t, attributes []string) bool {
	kind := info.Mode & unix.S_IFMT
	return kind == unix.S_IFLNK ||
		kind == unix.S_IFREG && info.Mode&(unix.S_ISUID|unix.S_ISGID) == 0 && !slices.Contains(attributes, powersName)
}

func absorbFolder(from, to string, there, lands bool) error {
	if !there {
		if err := mkdirLike(to, from); err != nil {
			return err
		}
	}
	entries, err := os.ReadDir(from)
	errs := []error{err}
	for _, entry := range entries {
		errs = append(errs, absorb(filepath.Join(from, entry.Name()), filepath.Join(to, entry.Name()), lands))
	}
	return errors.Join(errs...)
}

// move renames a path. If it lands, it is a file or a symlink, which may have to be copied to
// another file system, and the attributes of the overlay are removed.
func move(from, to string, lands bool) error {
	if !lands {
		return os.Rename(from, to)
	}
	if err := strip(from); err != nil {
		return err
	}
	err := os.Rename(from, to)
	if !errors.Is(err, unix.EXDEV) {
		return err
	}
	dir, err := unix.Open(filepath.Dir(to), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	return copyInto(from, dir, filepath.Base(to), ".flow-copy")
}
