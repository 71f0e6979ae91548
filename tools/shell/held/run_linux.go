package held

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/a-seed-11b9befa/flow/internal/folder"
)

// A Run is what the commands of one run share: the folder where their changes
// wait, and the caches. It is safe for concurrent use.
type Run struct {
	o      Options
	bounds bounds // of each command

	mu     sync.Mutex
	stores map[string]*store // by where they are made
	cache  []cache
}

// A cache is a folder of which a run has its own state.
type cache struct {
	folder string
	layer  string
	mu     *sync.Mutex // of the layer, while it takes up changes
}

// Open returns a run. Nothing is made before its first command. It is the caller's
// to close it when no command runs any more.
func Open(o Options) (*Run, error) {
	if err := Available(); err != nil {
		return nil, err
	}
	if o.Lookup == nil {
		o.Lookup = func(string) (string, bool) { return "", false }
	}
	return &Run{o: o, bounds: usualBounds(), stores: map[string]*store{}}, nil
}

// Close removes what is left of the run, after its caches have landed where that
// was asked for.
func (r *Run) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var errs []error
	if r.o.KeepCaches {
		for _, c := range r.cache {
			errs = append(errs, landCache(c.layer, c.folder))
		}
	}
	for _, s := range r.stores {
		errs = append(errs, s.remove())
	}
	r.stores, r.cache = map[string]*store{}, nil
	return errors.Join(errs...)
}

// store returns the folder of the run for a workspace: on the same file system,
// if there is a place for it.
func (r *Run) store(root string) (*store, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	base := r.base(root)
	if s := r.stores[base]; s != nil {
		return s, nil
	}
	s, err := newStore(base)
	if err != nil {
		return nil, err
	}
	r.stores[base] = s
	if len(r.stores) == 1 {
		r.cache, err = r.caches(s)
	}
	return s, err
}

// base is the folder that the run's own is made in. An overlay can't be above or
// below what it takes its files from.
func (r *Run) base(root string) string {
	if r.o.Base != "" {
		return r.o.Base
	}
	value := func(name string) string { v, _ := r.o.Lookup(name); return v }
	state := value("XDG_STATE_HOME")
	if state == "" && r.o.Home != "" {
		state = filepath.Join(r.o.Home, ".local", "state")
	}
	var possible, made []string
	for _, parent := range []string{state, cmp.Or(value("TMPDIR"), "/tmp"), "/var/tmp", filepath.Dir(root)} {
		if !filepath.IsAbs(parent) {
			continue
		}
		base := filepath.Join(parent, "flow-held")
		if parent == filepath.Dir(root) {
			base = filepath.Join(parent, ".flow-held")
		}
		_, missing := os.Lstat(base)
		if os.MkdirAll(base, 0o700) != nil {
			continue
		}
		real, err := filepath.EvalSymlinks(base)
		if err == nil && missing != nil {
			made = append(made, real)
		}
		if err == nil && owned(real) && !r.overlaps(real, root) {
			possible = append(possible, real)
		}
	}
	chosen := choose(possible, root)
	for _, base := range made {
		if base != chosen {
			_ = os.Remove(base) // nothing is left where nothing is kept
		}
	}
	return chosen
}

// choose returns the folder on the file system of the workspace, if there is one.
func choose(possible []string, root string) string {
	for _, base := range possible {
		if device(base) == device(root) {
			return base
		}
	}
	if len(possible) > 0 {
		return possible[0]
	}
	return filepath.Join(os.TempDir(), "flow-held")
}

// owned reports whether a folder is this user's alone.
func owned(path string) bool {
	var info unix.Stat_t
	return unix.Lstat(path, &info) == nil && info.Mode&unix.S_IFMT == unix.S_IFDIR &&
		int(info.Uid) == os.Geteuid() && info.Mode&0o077 == 0
}

func (r *Run) overlaps(base, root string) bool {
	return slices.ContainsFunc(append(CacheFolders(r.o.Home, r.o.Lookup), root), func(lower string) bool {
		return folder.Holds(lower, base) || folder.Holds(base, lower)
	})
}

// device is the file system that a path is on.
func device(path string) uint64 {
	var info unix.Stat_t
	if unix.Stat(path, &info) != nil {
		return 0
	}
	return uint64(info.Dev)
}

// caches makes the layers of those caches that there are, and of those that a
// program which is installed would make.
func (r *Run) caches(s *store) ([]cache, error) {
	var all []cache
	for i, path := range CacheFolders(r.o.Home, r.o.Lookup) {
		real, err := filepath.EvalSymlinks(path)
		if err != nil && expected(r.o.Home, path) && os.MkdirAll(path, 0o755) == nil {
			real, err = filepath.EvalSymlinks(path)
		}
		if info, statErr := os.Stat(real); err != nil || statErr != nil || !info.IsDir() {
			continue
		}
		if slices.ContainsFunc(all, func(c cache) bool { return folder.Holds(c.folder, real) }) {
			continue
		}
		layer := filepath.Join(s.path, "cache", fmt.Sprint(i))
		if err := mkdirLike(layer, real); err != nil {
			return nil, err
		}
		all = append(all, cache{real, layer, &sync.Mutex{}})
	}
	return all, nil
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

// mkdirLike makes a folder with the mode and the owner of another one.
func mkdirLike(path, like string) error {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return err
	}
	return copyAttributes(path, like)
}

func copyAttributes(path, like string) error {
	var info unix.Stat_t
	if err := unix.Stat(like, &info); err != nil {
		return &fs.PathError{Op: "stat", Path: like, Err: err}
	}
	if err := unix.Lchown(path, int(info.Uid), int(info.Gid)); err != nil && os.Geteuid() == 0 {
		return &fs.PathError{Op: "chown", Path: path, Err: err}
	}
	if err := unix.Chmod(path, info.Mode&0o7777); err != nil {
		return &fs.PathError{Op: "chmod", Path: path, Err: err}
	}
	times := []unix.Timespec{info.Atim, info.Mtim}
	_ = unix.UtimesNanoAt(unix.AT_FDCWD, path, times, unix.AT_SYMLINK_NOFOLLOW)
	return nil
}
