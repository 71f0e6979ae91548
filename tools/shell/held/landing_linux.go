package held

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// planFile is the file in the folder of a command to which its landing is written before
// it begins.
const planFile = "landing.json"

// landing are the steps that carry out a command's effects, in order.
type landing struct {
	Steps     []step
	Temporary string // the name of a file while it is copied
}

// step is one change. It is idempotent.
type step struct {
	Do        action
	Root, Rel string
	From      string `json:",omitempty"`
	Mode      uint32 `json:",omitempty"`
}

// write writes a landing to a file atomically.
func (l landing) write(path string) error {
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// finish finishes a landing that was cut off, and returns the folder in which it lands. It
// leaves alone what somebody has changed since.
func finish(path string) (root string, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	var l landing
	if err := json.Unmarshal(text, &l); err != nil || len(l.Steps) == 0 {
		return "", err
	}
	var plan unix.Stat_t
	if err := unix.Stat(path, &plan); err != nil {
		return "", err
	}
	return l.Steps[0].Root, l.run(&plan.Ctim)
}

// run does all steps. If since is not nil, it skips those that are done, and those whose
// path has changed since then or whose folder has gone.
func (l landing) run(since *unix.Timespec) error {
	for _, s := range l.Steps {
		if err := s.run(l.Temporary, since); err != nil && since == nil {
			return fmt.Errorf("%s: %w", s.Rel, err)
		}
	}
	return nil
}

// overtaken reports whether a step is done, or its path has changed since a time.
func (s step) overtaken(dir int, name string, since unix.Timespec) bool {
	var info unix.Stat_t
	if s.Do == replace && unix.Lstat(s.From, &info) != nil {
		return true
	}
	err := unix.Fstatat(dir, name, &info, unix.AT_SYMLINK_NOFOLLOW)
	return err == nil && !s.isFolder() && newer(info.Ctim, since)
}

func (s step) isFolder() bool { return s.Do == makeFolder || s.Do == setMode || s.Do == removeFolder }

func (s step) run(temporary string, since *unix.Timespec) error {
	dir, err := openFolder(s.Root, filepath.Dir(s.Rel))
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	name := filepath.Base(s.Rel)
	if since != nil {
		_ = unix.Unlinkat(dir, temporary, 0)
		if s.overtaken(dir, name, *since) {
			return nil
		}
	}
	switch s.Do {
	case makeFolder:
		err := unix.Mkdirat(dir, name, s.Mode)
		if err != nil && !errors.Is(err, unix.EEXIST) {
			return err
		}
		if err == nil {
			return errors.Join(chownLike(dir, name, s.From), unix.Fchmodat(dir, name, s.Mode, 0))
		}
		return nil
	case setMode:
		return unix.Fchmodat(dir, name, s.Mode, 0)
	case removeFile:
		return ignoreGone(unix.Unlinkat(dir, name, 0))
	case removeFolder:
		err := ignoreGone(unix.Unlinkat(dir, name, unix.AT_REMOVEDIR))
		if errors.Is(err, unix.ENOTEMPTY) {
			return nil // somebody has put something there meanwhile
		}
		return err
	}
	if err := strip(s.From); err != nil {
		return err
	}
	err = unix.Renameat(unix.AT_FDCWD, s.From, dir, name)
	if !errors.Is(err, unix.EXDEV) {
		return err
	}
	return copyInto(s.From, dir, name, temporary)
}

func ignoreGone(err error) error {
	if gone(err) {
		return nil
	}
	return err
}

// strip removes the attributes of the overlay from a file, as far as it is writable.
func strip(path string) error {
	names, err := attributes(path)
	for _, name := range names {
		if strings.HasPrefix(name, overlayPrefix) {
			_ = unix.Lremovexattr(path, name)
		}
	}
	return err
}

func chownLike(dir int, name, like string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	var info unix.Stat_t
	if err := unix.Lstat(like, &info); err != nil {
		return err
	}
	return unix.Fchownat(dir, name, int(info.Uid), int(info.Gid), unix.AT_SYMLINK_NOFOLLOW)
}

// copyInto moves a file or a symlink from another file system. The copy has a temporary
// name until it is complete.
func copyInto(from string, dir int, name, temporary string) error {
	var info unix.Stat_t
	if err := unix.Lstat(from, &info); err != nil {
		return err
	}
	_ = unix.Unlinkat(dir, temporary, 0)
	if info.Mode&unix.S_IFMT == unix.S_IFLNK {
		link, err := os.Readlink(from)
		if err == nil {
			err = unix.Symlinkat(link, dir, temporary)
		}
		if err != nil {
			return err
		}
	} else if err := copyFile(from, dir, temporary, info); err != nil {
		_ = unix.Unlinkat(dir, temporary, 0)
		return err
	}
	if err := chownLike(dir, temporary, from); err != nil {
		return err
	}
	if err := unix.Renameat(dir, temporary, dir, name); err != nil {
		return err
	}
	return os.Remove(from)
}

func copyFile(from string, dir int, name string, info unix.Stat_t) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	fd, err := unix.Openat(dir, name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	out := os.NewFile(uintptr(fd), name)
	_, err = io.Copy(out, in)
	if err == nil {
		err = out.Chmod(fs.FileMode(info.Mode & 0o777))
	}
	times := []unix.Timespec{info.Atim, info.Mtim}
	return errors.Join(err, out.Close(), unix.UtimesNanoAt(dir, name, times, unix.AT_SYMLINK_NOFOLLOW))
}

// openFolder opens a folder below a root. It follows no symlinks on the way there.
func openFolder(root, rel string) (int, error) {
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS}
	top, err := unix.Openat2(unix.AT_FDCWD, root, &how)
	if err != nil {
		return 0, err
	}
	defer unix.Close(top)
	how.Resolve |= unix.RESOLVE_BENEATH
	return unix.Openat2(top, rel, &how)
}

// landings are the landings of this process: a ledger for each workspace.
var landings sync.Map

// ledger records what has landed in a workspace, and in which order. Its lock is held
// while something lands.
type ledger struct {
	mu     sync.Mutex
	number uint64
	paths  map[string]uint64
}

func ledgerOf(root string) *ledger {
	l, _ := landings.LoadOrStore(root, &ledger{paths: map[string]uint64{}})
	return l.(*ledger)
}

// begin returns the number of the last landing.
func (l *ledger) begin() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.number
}

func (l *ledger) landed(effects []effect) {
	l.number++
	for _, e := range effects {
		l.paths[e.Path] = l.number
	}
}

// after reports whether a path has landed after the landing with that number.
func (l *ledger) after(path string, number uint64) bool { return l.paths[path] > number }

// order sorts effects so that a reader never finds a broken state: folders come before
// their contents, git's objects before what refers to them, and removals last unless
// something takes the place.
func order(effects []effect) []effect {
	occupied := map[string]bool{}
	for _, e := range effects {
		if e.Do == replace || e.Do == makeFolder {
			occupied[e.Path] = true
		}
	}
	ranks := make(map[string]int, len(effects))
	for _, e := range effects {
		ranks[e.Path+string(e.Do)] = e.rank(occupied)
	}
	return slices.SortedStableFunc(slices.Values(effects), func(a, b effect) int {
		by := ranks[a.Path+string(a.Do)] - ranks[b.Path+string(b.Do)]
		if by == 0 && a.Kind == Delete { // what is in a folder before that
			by = len(b.Path) - len(a.Path)
		}
		return by
	})
}

// rank returns the place of an effect in the order.
func (e effect) rank(occupied map[string]bool) int {
	switch isObject := e.git != nil && len(e.git.own) > 0 && e.git.own[0] == "objects"; {
	case e.Kind == Delete && covers(occupied, e.Path):
		return 0
	case e.Do == makeFolder:
		return 1
	case e.Kind == Delete:
		return 5
	case isObject && strings.HasSuffix(e.Rel, ".idx"):
		return 3 // after its pack
	case isObject:
		return 2
	}
	return 4
}
