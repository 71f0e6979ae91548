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

// temporaryName returns the name of a file while it is copied by the command with a folder.
func temporaryName(command string) string { return ".flow-" + filepath.Base(command) }

// carryOut lands effects. If this program is killed meanwhile, the next run finishes it.
func (v *View) carryOut(effects []effect) error {
	effects = order(withModes(effects))
	if len(effects) > 1 {
		path := filepath.Join(v.path, planFile)
		if err := writePlan(path, effects); err != nil {
			return fmt.Errorf("landing: %w", err)
		}
		defer os.Remove(path)
	}
	for _, e := range effects {
		if err := e.carryOut(temporaryName(v.path), nil); err != nil {
			return fmt.Errorf("%s: %w", e.Rel, err)
		}
	}
	return nil
}

// ownerAll are the bits of a mode with which its owner can do everything in a folder.
const ownerAll = 0o700

// withModes returns effects with the changes of modes that it takes to land them: a folder that is
// closed to its owner is open while something lands in it. A new one gets its mode after that.
func withModes(effects []effect) []effect {
	var openings, closings []effect
	settled, looked := map[string]bool{}, map[string]bool{} // folders whose mode is set anyway, or which go
	effects = slices.Clone(effects)
	for i, e := range effects {
		settled[e.Path] = settled[e.Path] || e.Folder
		if e.Folder && e.Kind == Create && e.Mode&ownerAll != ownerAll {
			effects[i].Mode |= ownerAll
			e.Kind = Modify
			closings = append(closings, e)
		}
	}
	for _, e := range effects {
		for rel := e.Rel; rel != "."; {
			rel = filepath.Dir(rel)
			folder := effect{Change: Change{Path: filepath.Join(e.Root, rel), Root: e.Root, Rel: rel, Kind: Modify, Folder: true}}
			if looked[folder.Path] {
				break
			}
			looked[folder.Path] = true
			var info unix.Stat_t
			own := unix.Lstat(folder.Path, &info) == nil && (os.Geteuid() == 0 || int(info.Uid) == os.Geteuid())
			if !own || info.Mode&unix.S_IFMT != unix.S_IFDIR || info.Mode&ownerAll == ownerAll {
				continue
			}
			folder.Mode = info.Mode & 0o7777
			if !settled[folder.Path] {
				closings = append(closings, folder)
			}
			folder.Mode |= ownerAll
			openings = append(openings, folder)
		}
	}
	return slices.Concat(openings, effects, closings)
}

// writePlan writes effects to a file atomically.
func writePlan(path string, effects []effect) error {
	text, err := json.Marshal(effects)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// finish finishes a landing that was cut off, and returns the folder in which it lands. It
// leaves alone what somebody has changed since, and what has no folder any more.
func finish(path string) (root string, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	var effects []effect
	if err := json.Unmarshal(text, &effects); err != nil || len(effects) == 0 {
		return "", err
	}
	var plan unix.Stat_t
	if err := unix.Stat(path, &plan); err != nil {
		return "", err
	}
	for _, e := range effects {
		_ = e.carryOut(temporaryName(filepath.Dir(path)), &plan.Ctim)
	}
	return effects[0].Root, nil
}

// carryOut lands one effect, which may have landed before. If since is not nil, it leaves alone
// a path that has changed since then.
func (e effect) carryOut(temporary string, since *unix.Timespec) error {
	if e.setsMode() {
		return ignoreGone(e.setMode())
	}
	dir, err := openFolder(e.Root, filepath.Dir(e.Rel))
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	name := filepath.Base(e.Rel)
	if since != nil {
		_ = unix.Unlinkat(dir, temporary, 0)
		if e.overtaken(dir, name, *since) {
			return nil
		}
	}
	switch {
	case e.Kind == Delete:
		flags := 0
		if e.Folder {
			flags = unix.AT_REMOVEDIR
		}
		err := unix.Unlinkat(dir, name, flags)
		if errors.Is(err, unix.ENOTEMPTY) {
			return nil // somebody has put something there meanwhile
		}
		return ignoreGone(err)
	case e.Folder:
		err := unix.Mkdirat(dir, name, e.Mode)
		if errors.Is(err, unix.EEXIST) {
			return nil
		}
		if err != nil {
			return err
		}
		return errors.Join(chownLike(dir, name, e.From), unix.Fchmodat(dir, name, e.Mode, 0))
	}
	if err := strip(e.From); err != nil {
		return err
	}
	err = unix.Renameat(unix.AT_FDCWD, e.From, dir, name)
	if !errors.Is(err, unix.EXDEV) {
		return err
	}
	return copyInto(e.From, dir, name, temporary)
}

// setMode sets the mode of a folder. It follows no symlink in its place.
func (e effect) setMode() error {
	folder, err := openFolder(e.Root, e.Rel)
	if err != nil {
		return err
	}
	defer unix.Close(folder)
	return unix.Chmod(fmt.Sprintf("/proc/self/fd/%d", folder), e.Mode)
}

// overtaken reports whether an effect has landed, or its path has changed since a time.
func (e effect) overtaken(dir int, name string, since unix.Timespec) bool {
	var info unix.Stat_t
	if e.From != "" && !e.Folder && unix.Lstat(e.From, &info) != nil {
		return true
	}
	err := unix.Fstatat(dir, name, &info, unix.AT_SYMLINK_NOFOLLOW)
	return err == nil && !e.Folder && newer(info.Ctim, since)
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
	if errors.Is(err, fs.ErrPermission) { // the command has taken its owner's access
		if err := unix.Chmod(from, 0o600); err != nil {
			return err
		}
		in, err = os.Open(from)
		_ = unix.Chmod(from, info.Mode&0o7777) // this may be cut off, and done again
	}
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

// ledger records what has landed in a workspace. Its lock is held while something lands.
type ledger struct {
	mu     sync.Mutex
	number uint64            // of the last landing
	paths  map[string]uint64 // the numbers of the last landings of paths
}

func ledgerOf(root string) *ledger {
	l, _ := landings.LoadOrStore(root, &ledger{paths: map[string]uint64{}})
	return l.(*ledger)
}

// order sorts effects so that a reader never finds a broken state: folders come before
// their contents, git's objects before what refers to them, and removals after that unless
// something takes the place. Modes that open folders to their owner come first, others last.
func order(effects []effect) []effect {
	occupied := map[string]bool{}
	for _, e := range effects {
		if e.Kind != Delete && !e.setsMode() {
			occupied[e.Path] = true
		}
	}
	var ranks [8][]effect
	for _, e := range effects {
		rank := e.rank(occupied)
		ranks[rank] = append(ranks[rank], e)
	}
	outer := func(a, b effect) int { return len(a.Path) - len(b.Path) }
	inner := func(a, b effect) int { return outer(b, a) } // what is in a folder before that
	slices.SortStableFunc(ranks[0], outer)
	for _, rank := range []int{1, 6, 7} {
		slices.SortStableFunc(ranks[rank], inner)
	}
	return slices.Concat(ranks[:]...)
}

// rank returns the place of an effect in the order.
func (e effect) rank(occupied map[string]bool) int {
	switch isObject := e.git != nil && len(e.git.own) > 0 && e.git.own[0] == "objects"; {
	case e.setsMode() && e.Mode&ownerAll == ownerAll:
		return 0
	case e.setsMode():
		return 7
	case e.Kind == Delete && covers(occupied, e.Path):
		return 1
	case e.Kind == Delete:
		return 6
	case e.Folder && e.Kind == Create:
		return 2
	case isObject && strings.HasSuffix(e.Rel, ".idx"):
		return 4 // after its pack
	case isObject:
		return 3
	}
	return 5
}
