package held

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/a-seed-11b9befa/flow/internal/paths"
)

// store is the folder of a run in which changes wait, on one file system. While the run
// lives, the store's lock file is locked. A store that is not locked is of a killed run:
// the next run finishes its landings and removes it.
type store struct {
	base, path string
	lock       *os.File
}

func newStore(base string, finished func(root string)) (s *store, err error) {
	sweep(base, finished)
	for range 100 { // another run may remove the base, and the folder while it has no lock
		s = &store{base: base}
		if err = os.MkdirAll(base, 0o700); err == nil {
			s.path, err = os.MkdirTemp(base, "run-")
		}
		if err == nil {
			s.lock, err = lockFile(s.path, os.O_CREATE|os.O_EXCL)
		}
		// A base that is removed while it is made is said to exist.
		if !errors.Is(err, errLocked) && !errors.Is(err, os.ErrNotExist) && !errors.Is(err, os.ErrExist) {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	err = errors.Join(os.Mkdir(filepath.Join(s.path, "folder"), 0o555), os.WriteFile(filepath.Join(s.path, "file"), nil, 0o444))
	if err != nil {
		return nil, errors.Join(err, s.remove())
	}
	return s, nil
}

var errLocked = errors.New("it is locked")

// lockFile locks the lock file of a run until it is closed. The error is os.ErrNotExist if
// the process that had it locked has removed it.
func lockFile(run string, create int) (*os.File, error) {
	path := filepath.Join(run, "lock")
	f, err := os.OpenFile(path, os.O_RDWR|create, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, errLocked)
	}
	locked, err := f.Stat()
	if now, nowErr := os.Lstat(path); err == nil && nowErr == nil && os.SameFile(locked, now) {
		return f, nil
	}
	f.Close()
	return nil, fmt.Errorf("%s: %w", path, os.ErrNotExist)
}

// sweep finishes the landings of killed runs, and removes their files. It leaves what can't
// be removed to the next run.
func sweep(base string, finished func(root string)) {
	left, err := filepath.Glob(filepath.Join(base, "run-*"))
	if err != nil {
		return
	}
	for _, path := range left {
		lock, err := lockFile(path, 0)
		if err != nil {
			_ = os.Remove(path) // fails unless it is empty: the run lives, or had no lock yet
			continue
		}
		plans, _ := filepath.Glob(filepath.Join(path, "call-*", planFile))
		for _, plan := range plans {
			if root, err := finish(plan); err == nil && root != "" && finished != nil {
				finished(root)
			}
		}
		_ = removeRun(path)
		lock.Close()
	}
}

func (s *store) remove() error {
	err := removeRun(s.path)
	s.lock.Close()
	_ = os.Remove(s.base) // if this was the last store
	return err
}

// removeRun removes the folder of a run. The lock goes last: without it no run would remove
// the rest.
func removeRun(path string) error {
	entries, err := os.ReadDir(path)
	errs := []error{err}
	for _, entry := range entries {
		if entry.Name() != "lock" {
			errs = append(errs, removeAll(filepath.Join(path, entry.Name())))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return errors.Join(os.Remove(filepath.Join(path, "lock")), ignoreGone(os.Remove(path))) // another run may be faster
}

// removeAll removes a folder, even if a command or the kernel has taken the owner's access
// to a folder in it.
func removeAll(path string) error {
	if err := os.RemoveAll(path); err == nil {
		return nil
	}
	_ = filepath.WalkDir(path, func(at string, entry os.DirEntry, err error) error {
		if entry != nil && entry.IsDir() {
			_ = os.Chmod(at, 0o700)
		}
		return nil
	})
	return os.RemoveAll(path)
}

// base returns the folder in which the run's own is made, if possible on the file system of
// the first of the folders that commands change. It can't be in an overlaid folder, nor hold
// one.
func (r *Run) base(folders, caches []string) (best string) {
	if r.o.Base != "" {
		return r.o.Base
	}
	overlaid := slices.Concat(caches, folders)
	for _, path := range append(r.bases(), filepath.Join(filepath.Dir(folders[0]), ".flow-held")) {
		if best == "" || device(best) != device(folders[0]) { // else it is only removed, if a run that was killed has left it
			_ = os.MkdirAll(path, 0o700)
		}
		real, err := filepath.EvalSymlinks(path)
		overlaps := func(other string) bool { return paths.Holds(other, real) || paths.Holds(real, other) }
		usable := err == nil && owned(real) && !slices.ContainsFunc(overlaid, overlaps)
		if usable && (best == "" || device(best) != device(folders[0]) && device(real) == device(folders[0])) {
			best, real = real, best
		}
		_ = os.Remove(real) // fails unless it is empty
	}
	_ = os.MkdirAll(best, 0o700)
	return best
}

// bases returns the possible folders for any workspace.
func (r *Run) bases() (all []string) {
	value := func(name string) string { v, _ := r.o.Lookup(name); return v }
	for _, temporary := range []string{cmp.Or(value("TMPDIR"), "/tmp"), "/var/tmp"} { // other users may have one there, too
		all = append(all, filepath.Join(temporary, fmt.Sprintf("flow-held-%d", os.Geteuid())))
	}
	if state := cmp.Or(value("XDG_STATE_HOME"), filepath.Join(r.o.Home, ".local", "state")); filepath.IsAbs(state) {
		all = append(all, filepath.Join(state, "flow-held"))
	}
	return slices.DeleteFunc(all, func(path string) bool { return !filepath.IsAbs(path) })
}

// owned reports whether a folder belongs to this user, and no other has access.
func owned(path string) bool {
	var info unix.Stat_t
	return unix.Lstat(path, &info) == nil && info.Mode&unix.S_IFMT == unix.S_IFDIR &&
		int(info.Uid) == os.Geteuid() && info.Mode&0o077 == 0
}

// device returns the file system that a path is on.
func device(path string) uint64 {
	var info unix.Stat_t
	_ = unix.Stat(path, &info)
	return uint64(info.Dev)
}
