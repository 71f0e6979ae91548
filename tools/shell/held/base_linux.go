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
func (r *Run) base(folders, caches []string) string {
	if r.o.Base != "" {
		return r.o.Base
	}
	bases := append(r.bases(), filepath.Join(filepath.Dir(folders[0]), ".flow-held"))
	distance := func(base string) int {
		if device(base) == device(folders[0]) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(bases, func(a, b string) int { return distance(a) - distance(b) })
	overlaid := slices.Concat(caches, folders)
	chosen := bases[0]
	for i, base := range bases {
		if real, ok := makeBase(base, overlaid); ok {
			chosen, bases = real, bases[i+1:]
			break
		}
	}
	for _, base := range bases {
		_ = os.Remove(base) // a killed run may have left an empty one
	}
	return chosen
}

// bases returns the possible folders for any workspace. Those outside of the home folder come
// first, so that its caches can have an overlay together.
func (r *Run) bases() (all []string) {
	value := func(name string) string { v, _ := r.o.Lookup(name); return v }
	for _, temporary := range []string{cmp.Or(value("TMPDIR"), "/tmp"), "/var/tmp"} {
		if filepath.IsAbs(temporary) { // other users may have one there, too
			all = append(all, filepath.Join(temporary, fmt.Sprintf("flow-held-%d", os.Geteuid())))
		}
	}
	state := value("XDG_STATE_HOME")
	if state == "" && r.o.Home != "" {
		state = filepath.Join(r.o.Home, ".local", "state")
	}
	if filepath.IsAbs(state) {
		all = append(all, filepath.Join(state, "flow-held"))
	}
	return all
}

// makeBase creates a folder for runs, unless it would be in one of the others, or hold one.
func makeBase(path string, others []string) (real string, ok bool) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return "", false
	}
	real, err := filepath.EvalSymlinks(path)
	if err == nil && owned(real) && !slices.ContainsFunc(others, func(other string) bool {
		return paths.Holds(other, real) || paths.Holds(real, other)
	}) {
		return real, true
	}
	_ = os.Remove(path)
	return "", false
}

// owned reports whether a folder belongs to this user, and no other has access.
func owned(path string) bool {
	var info unix.Stat_t
	return unix.Lstat(path, &info) == nil && info.Mode&unix.S_IFMT == unix.S_IFDIR &&
		int(info.Uid) == os.Geteuid() && info.Mode&0o077 == 0
}

// device returns the file system that a path is on, or would be.
func device(path string) uint64 {
	var info unix.Stat_t
	for unix.Stat(path, &info) != nil && path != filepath.Dir(path) {
		path = filepath.Dir(path)
	}
	return uint64(info.Dev)
}
