package held

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// landCache does to a cache what commands have done in its layer. What could give
// somebody the rights of this user stays out, and so do special files.
func landCache(from, to string) error {
	var info, old unix.Stat_t
	if err := unix.Lstat(from, &info); err != nil {
		return err
	}
	err := unix.Lstat(to, &old)
	there := err == nil
	if !there && !gone(err) {
		return err
	}
	names, err := attributes(from)
	if err != nil {
		return err
	}
	wasFolder := there && old.Mode&unix.S_IFMT == unix.S_IFDIR
	switch kind := info.Mode & unix.S_IFMT; {
	case whiteout(info):
		return removeAll(to)
	case kind == unix.S_IFDIR:
		return landCacheFolder(from, to, there && (!wasFolder || slices.Contains(names, opaqueName)))
	case kind != unix.S_IFREG && kind != unix.S_IFLNK,
		kind == unix.S_IFREG && info.Mode&(unix.S_ISUID|unix.S_ISGID) != 0, slices.Contains(names, powersName):
		return nil
	}
	if wasFolder {
		if err := removeAll(to); err != nil {
			return err
		}
	}
	if err := strip(from); err != nil {
		return err
	}
	return move(from, to)
}

// landCacheFolder lands a folder of a cache; anew is in place of what is there.
func landCacheFolder(from, to string, anew bool) error {
	if anew {
		if err := removeAll(to); err != nil {
			return err
		}
	}
	if _, err := os.Lstat(to); err != nil {
		if err := mkdirLike(to, from); err != nil {
			return err
		}
	}
	entries, err := os.ReadDir(from)
	errs := []error{err}
	for _, entry := range entries {
		errs = append(errs, landCache(filepath.Join(from, entry.Name()), filepath.Join(to, entry.Name())))
	}
	return errors.Join(errs...)
}
