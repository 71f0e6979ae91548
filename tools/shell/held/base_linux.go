package held

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/a-seed-11b9befa/flow/internal/paths"
)

// base returns the folder in which the run's own is made, if possible on the file system of
// the first of the folders that commands change. It can't be in an overlaid folder, nor hold
// one.
func (r *Run) base(folders, caches []string) (best string) {
	if r.o.Base != "" {
		return r.o.Base
	}
	overlaid := slices.Concat(caches, folders)
	for _, path := range append(r.bases(), filepath.Join(filepath.Dir(folders[0]), ".flow-held")) {
		_ = os.MkdirAll(path, 0o700)
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
