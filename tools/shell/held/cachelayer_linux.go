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

// cache is one overlay for a cache of the run, or for several caches in one folder. An
// overlay costs more than anything else that a command gets, so caches share one if they
// can.
type cache struct {
	root  string   // the overlaid folder
	parts []string // the caches, from root; nil says that root is one
	layer string
	calls string      // the folder for the upper folders of commands
	mu    *sync.Mutex // held while the layer changes
}

// folders returns the paths of the caches.
func (c cache) folders() []string { return joined(c.root, c.parts) }

// joined returns the paths of the parts of a folder, or of the folder if parts is nil.
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

// makeCaches creates the layers of the caches. Those that are in the home folder share one
// if a store outside of it is possible.
func (r *Run) makeCaches(s *store) error {
	folders, err := r.useCaches()
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

// useCaches returns the real paths of the caches that exist, or that an installed program
// would create. No other run removes them.
func (r *Run) useCaches() (all []string, err error) {
	for _, path := range cacheFolders(r.o.Home, r.o.Lookup) {
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

// storeApart returns a store that is not in the home folder, on a file system of the same
// kind, or nil. An overlay of the home folder can't have its upper folder in there.
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

// land moves the changes in the layer into the caches.
func (c cache) land() error {
	var errs []error
	for i, layer := range joined(c.layer, c.parts) {
		if err := absorb(layer, c.folders()[i], true); !gone(err) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// expected reports whether an installed program would create a folder that does not exist.
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

// mountOf returns the id of the mount that a path is on, or 0 if it is not known.
func mountOf(path string) uint64 {
	var info unix.Statx_t
	if unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_MNT_ID, &info) != nil {
		return 0
	}
	return info.Mnt_id
}

// kindOf returns the type of file system that a path is on, or would be.
func kindOf(path string) int64 {
	var info unix.Statfs_t
	upwards(path, func(at string) error { return unix.Statfs(at, &info) })
	return int64(info.Type)
}
