package held

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/a-seed-11b9befa/flow/internal/folder"
)

// A cache is a folder of which a run has its own state, or several ones in a folder:
// an overlay costs more than all else that a command is given, so that as many as can
// share one.
type cache struct {
	root  string   // what the overlay is of
	parts []string // the caches, from there; nil where the root is one
	layer string
	calls string      // where what commands change goes first
	mu    *sync.Mutex // of the layer, while it takes up changes
}

// folders are the caches by their whole paths.
func (c cache) folders() []string { return joined(c.root, c.parts) }

// joined are parts of a folder by their whole paths; the folder where there are none.
func joined(root string, parts []string) []string {
	if parts == nil {
		return []string{root}
	}
	var all []string
	for _, part := range parts {
		all = append(all, filepath.Join(root, part))
	}
	return all
}

// makeCaches makes the layers of those caches that there are, and of those that a
// program which is installed would make.
func (r *Run) makeCaches(s *store) error {
	folders, err := r.cacheFolders()
	if err != nil {
		return err
	}
	home, err := filepath.EvalSymlinks(r.o.Home)
	if err == nil {
		inHome := slices.DeleteFunc(slices.Clone(folders), func(path string) bool {
			return path == home || !folder.Holds(home, path) || mountOf(path) != mountOf(home)
		})
		if len(inHome) > 1 {
			if apart := r.storeApart(s, home); apart != nil {
				folders = slices.DeleteFunc(folders, func(path string) bool { return slices.Contains(inHome, path) })
				if err := r.addCache(apart, home, inHome); err != nil {
					return err
				}
			}
		}
	}
	for _, path := range folders {
		if err := r.addCache(s, path, nil); err != nil {
			return err
		}
	}
	return nil
}

// cacheFolders are the real paths of caches, which no other run removes.
func (r *Run) cacheFolders() (all []string, err error) {
	for _, path := range CacheFolders(r.o.Home, r.o.Lookup) {
		if _, err := os.Stat(path); err != nil && expected(r.o.Home, path) {
			_ = ensureFolder(path)
		}
		real, err := filepath.EvalSymlinks(path)
		if err != nil {
			continue
		}
		if info, err := os.Stat(real); err != nil || !info.IsDir() {
			continue
		}
		f, err := useFolder(real)
		if err != nil {
			continue // a command can't read it either
		}
		r.used = append(r.used, f)
		all = append(all, real)
	}
	return folder.Outermost(all), nil
}

// storeApart returns a folder of the run that is not in the home folder, on a file
// system of the same kind; nil where there is none. An overlay of all that is at home
// can't have its changes there.
func (r *Run) storeApart(s *store, home string) *store {
	for _, base := range append([]string{s.base}, r.bases()...) {
		if folder.Holds(home, base) || kindOf(base) != kindOf(s.base) {
			continue
		}
		if real, ok := makeBase(base, []string{home}); ok {
			if apart, err := r.storeIn(real); err == nil {
				return apart
			}
		}
	}
	return nil
}

func (r *Run) addCache(s *store, root string, folders []string) error {
	c := cache{root: root, calls: s.path, mu: &sync.Mutex{}, layer: filepath.Join(s.path, fmt.Sprintf("cache-%d", len(r.caches)))}
	for _, path := range folders {
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		c.parts = append(c.parts, rel)
	}
	r.caches = append(r.caches, c)
	return mkdirLike(c.layer, root)
}

// land does to the caches what commands have done in their layer.
func (c cache) land() error {
	var errs []error
	for i, layer := range joined(c.layer, c.parts) {
		if err := absorb(layer, c.folders()[i], true); !gone(err) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// expected reports whether a folder that does not exist would be made by a program
// of this machine.
func expected(home, path string) bool {
	programs := map[string]string{".cache": "sh", "go/pkg": "go", ".npm": "npm", ".m2": "mvn", ".cargo": "cargo", ".gradle": "gradle"}
	for name, program := range programs {
		if path == filepath.Join(home, name) {
			_, err := exec.LookPath(program)
			return err == nil
		}
	}
	return false
}

// mountOf is the number of the mount that a path is on, 0 where it is not known.
func mountOf(path string) uint64 {
	var info unix.Statx_t
	if unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_MNT_ID, &info) != nil {
		return 0
	}
	return info.Mnt_id
}

// kindOf is the kind of file system that a path is on, or would be.
func kindOf(path string) int64 {
	var info unix.Statfs_t
	upwards(path, func(at string) error { return unix.Statfs(at, &info) })
	return int64(info.Type)
}
