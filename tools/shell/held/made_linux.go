package held

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// A command can only have a cache of its own where there is a folder for it, and a
// run only its folder where there is one around it. Those that are made for that are
// marked, and removed by the last run that has used them, as long as they are empty.

// madeName is an attribute of a folder that a run has made.
const madeName = "user.flow.made"

// ensureFolder makes a folder, with those around it.
func ensureFolder(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil
	}
	if err := ensureFolder(filepath.Dir(path)); err != nil {
		return err
	}
	// It is marked before it has its name: nothing is left of a run that is killed now.
	made := path + ".flow-made"
	if err := os.Mkdir(made, 0o755); err != nil && !os.IsExist(err) {
		return err
	}
	_ = unix.Lsetxattr(made, madeName, []byte("y"), 0) // without it, it stays
	err := unix.Renameat2(unix.AT_FDCWD, made, unix.AT_FDCWD, path, unix.RENAME_NOREPLACE)
	if err == nil {
		return nil
	}
	_ = os.Remove(made)
	if err = os.Mkdir(path, 0o755); os.IsExist(err) { // by another run
		return nil
	}
	return err
}

// removeMade removes a folder that a run has made, with those around it, as far as
// nobody has put something there.
func removeMade(path string) {
	for ; isMade(path) && os.Remove(path) == nil; path = filepath.Dir(path) {
	}
}

func isMade(path string) bool {
	_, err := unix.Lgetxattr(path, madeName, nil)
	return err == nil
}

// useFolder has other runs leave a folder alone, until [releaseFolder]: to remove it
// would take it from the commands that have something mounted there.
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
