package restrict

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// Reading withholds reading some files and whole folders: absolute, without symlinks. In
// the folders around them, files that are created later can't be read either, and nothing
// can be created or removed: later, under another name, a secret could be read. The open
// files can be read: they are mounted on the hidden ones. version is that of Landlock.
func Reading(version int, hidden []string, open ...int) error {
	rules := unix.LandlockRulesetAttr{Handled_access_fs: unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_MAKE_REG |
		unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR}
	if version >= 2 { // without it nothing could be moved to another folder
		rules.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	return withhold(rules, besides("/", slices.Sorted(slices.Values(hidden))), open...)
}

// besides returns the paths of all that is in a folder, without what is hidden: Landlock
// can only allow, so the folders around a hidden path are listed. Symlinks are left out:
// their targets count.
func besides(dir string, hidden []string) (all []string) {
	for _, name := range inFolder(dir, hidden) {
		path := filepath.Join(dir, name)
		_, is := slices.BinarySearch(hidden, path)
		at, _ := slices.BinarySearch(hidden, path+"/")
		around := at < len(hidden) && strings.HasPrefix(hidden[at], path+"/")
		switch info, err := os.Lstat(path); {
		case err != nil || info.Mode()&fs.ModeSymlink != 0 || is:
		case around:
			all = append(all, besides(path, hidden)...)
		default:
			all = append(all, path)
		}
	}
	return all
}

// inFolder returns the names in a folder. If it can't be listed, these are the names that
// lead to what is hidden.
func inFolder(dir string, hidden []string) (names []string) {
	entries, err := os.ReadDir(dir)
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	for _, path := range hidden {
		if rel, is := strings.CutPrefix(path, strings.TrimSuffix(dir, "/")+"/"); is && err != nil {
			name, _, _ := strings.Cut(rel, "/")
			names = append(names, name)
		}
	}
	return names
}
