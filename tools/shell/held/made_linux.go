package held

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// An overlay for a cache needs an existing folder, and so does the folder of a run. Folders
// that a run creates for that are marked, and the last run that uses them removes them if
// they are still empty.

// madeName is an attribute of a folder that a run has created.
const madeName = "user.flow.made"

// ensureFolder creates a folder, and those around it, unless it exists.
func ensureFolder(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil
	}
	if err := ensureFolder(filepath.Dir(path)); err != nil {
		return err
	}
	// It is marked before it gets its name: a run that is killed now leaves nothing.
	made := path + ".flow-made"
	if err := os.Mkdir(made, 0o755); err != nil && !os.IsExist(err) {
		return err
	}
	_ = unix.Lsetxattr(made, madeName, []byte("y"), 0) // without the mark nobody removes it
	err := unix.Renameat2(unix.AT_FDCWD, made, unix.AT_FDCWD, path, unix.RENAME_NOREPLACE)
	if err == nil {
		return nil
	}
	_ = os.Remove(made)
	if err = os.Mkdir(path, 0o755); os.IsExist(err) { // another run was faster
		return nil
	}
	return err
}

// removeMade removes a folder that a run has created, and those around it, as long as they
// are empty.
func removeMade(path string) {
	for ; isMade(path) && os.Remove(path) == nil; path = filepath.Dir(path) {
	}
}

func isMade(path string) bool {
	_, err := unix.Lgetxattr(path, madeName, nil)
	return err == nil
}

// useFolder keeps other runs from removing a folder until [releaseFolder]: commands may
// have something mounted there.
func useFolder(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	_ = unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB) // a file system may have no locks
	return f, nil
}

func releaseFolder(f *os.File) {
	defer f.Close()
	if isMade(f.Name()) && unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
		removeMade(f.Name())
	}
}
