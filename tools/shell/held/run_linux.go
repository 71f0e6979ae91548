package held

import (
	"errors"
	"io/fs"
	"os"
	"sync"

	"github.com/sourcegraph/conc"
	"golang.org/x/sys/unix"
)

// Run holds the commands of one run: it has the folder in which their changes wait, and the
// caches. It is safe for concurrent use.
type Run struct {
	o         Options
	maxAround int // how many files a working tree around a workspace may have

	mu     sync.Mutex
	stores map[string]*store // by their base
	caches []overlay         // without their uppers

	caching  sync.Mutex     // held while the layer of a cache changes
	removing conc.WaitGroup // removes what commands have left
}

// Open returns a run. It creates nothing before the first command. The caller has to close
// the run when none of its commands is running.
func Open(o Options) (*Run, error) {
	if err := Available(); err != nil {
		return nil, err
	}
	if o.Lookup == nil {
		o.Lookup = func(string) (string, bool) { return "", false }
	}
	return &Run{o: o, maxAround: 1_000_000, stores: map[string]*store{}}, nil
}

// Close removes the files of the run.
func (r *Run) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.removing.Wait()
	var errs []error
	for _, s := range r.stores {
		errs = append(errs, s.remove())
	}
	r.stores, r.caches = map[string]*store{}, nil
	return errors.Join(errs...)
}

// store returns the store for a workspace and the folders of its repository, if possible on
// the same file system.
func (r *Run) store(folders []string) (*store, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	caches := r.o.cacheFolders()
	base := r.base(folders, caches)
	if s := r.stores[base]; s != nil {
		return s, nil
	}
	s, err := newStore(base, r.o.Finished)
	if err != nil {
		return nil, err
	}
	r.stores[base] = s
	if len(r.stores) == 1 {
		r.caches, err = newCaches(s, r.o.Home, caches)
	}
	return s, err
}

// mkdirLike creates a folder with the mode, the owner and the times of another one.
func mkdirLike(path, like string) error {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return err
	}
	return copyAttributes(path, like)
}

// openToOwner gives the owner of a folder all access to it that its mode takes.
func openToOwner(folder string) (mode uint32, opened bool) {
	var info unix.Stat_t
	if unix.Lstat(folder, &info) != nil || info.Mode&unix.S_IFMT != unix.S_IFDIR || info.Mode&ownerAll == ownerAll {
		return 0, false
	}
	mode = info.Mode & 0o7777
	return mode, unix.Chmod(folder, mode|ownerAll) == nil
}

// inOpen calls do, which creates something in a folder that may be closed to its owner.
func inOpen(folder string, do func() error) error {
	mode, opened := openToOwner(folder)
	err := do()
	if opened {
		err = errors.Join(err, unix.Chmod(folder, mode))
	}
	return err
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
