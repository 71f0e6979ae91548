package held

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// A store is the folder of a run in which changes wait, on one file system. While
// the run lives, its file lock is locked: what is not belongs to a run that was
// killed, and is finished and removed by the next one.
type store struct {
	base, path string
	lock       *os.File
}

func newStore(base string) (*store, error) {
	sweep(base)
	s := &store{base: base}
	for s.lock == nil { // another run may take a folder without a lock for one that was left
		path, err := makeTemporary(base, "run-")
		if err != nil {
			return nil, err
		}
		s.path = path
		if s.lock, err = lockFile(filepath.Join(path, "lock")); err != nil && !errors.Is(err, errLocked) && !errors.Is(err, os.ErrNotExist) {
			return nil, errors.Join(err, removeAll(path))
		}
	}
	if err := os.Mkdir(filepath.Join(s.path, "folder"), 0o555); err != nil {
		return nil, errors.Join(err, s.remove())
	}
	if err := os.WriteFile(filepath.Join(s.path, "file"), nil, 0o444); err != nil {
		return nil, errors.Join(err, s.remove())
	}
	return s, nil
}

// makeTemporary makes a folder of its own in one that another run may be removing.
func makeTemporary(base, prefix string) (path string, err error) {
	for range 100 {
		if err = ensureFolder(filepath.Dir(base)); err == nil {
			err = os.Mkdir(base, 0o700)
		}
		if err != nil && !os.IsExist(err) && !os.IsNotExist(err) {
			return "", err
		}
		if path, err = os.MkdirTemp(base, prefix); !errors.Is(err, os.ErrNotExist) {
			return path, err
		}
	}
	return "", err
}

var errLocked = errors.New("it is locked")

// lockFile makes a file and locks it, for as long as it is open.
func lockFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, errLocked)
	}
	return f, nil
}

// sweep finishes and removes what runs have left that were killed. What can't be
// removed is left for the next one.
func sweep(base string) {
	left, err := filepath.Glob(filepath.Join(base, "run-*"))
	if err != nil {
		return
	}
	for _, path := range left {
		lock, err := lockFile(filepath.Join(path, "lock"))
		if err != nil {
			continue // it lives, or is just being made
		}
		plans, _ := filepath.Glob(filepath.Join(path, "call-*", planFile))
		for _, plan := range plans {
			_ = finish(plan)
		}
		_ = removeAll(path)
		lock.Close()
	}
}

func (s *store) remove() error {
	err := removeAll(s.path)
	if s.lock != nil {
		s.lock.Close()
	}
	removeBase(s.base) // if it was the last one
	return err
}

// removeAll removes a folder, also what in it a command, or the kernel, has closed
// to its owner.
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
