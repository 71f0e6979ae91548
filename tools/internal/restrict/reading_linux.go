package restrict

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// Reading has the kernel withhold reading some files, and folders with all that is in
// them: absolute, without links. What is made beside them, in a folder around one, can't
// be read either. In such a folder no file is made and nothing taken away: a secret by
// another name, moved there or linked, could be read by who looks later. What is open may
// be read: it is mounted on them. The version is that of Landlock.
func Reading(version int, hidden []string, open ...int) error {
	rules := unix.LandlockRulesetAttr{Handled_access_fs: unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_MAKE_REG |
		unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR}
	if version >= 2 { // without it nothing could be moved to another folder
		rules.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	return Files(rules, besides("/", slices.Sorted(slices.Values(hidden))), open...)
}

// besides are the paths of all that is in a folder but what is hidden: a rule can only
// allow, so that the folders around that are gone through. Links are none of them, for
// where they lead is.
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

// inFolder are the names in a folder; of one that can't be listed those that lead to
// what is hidden.
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
