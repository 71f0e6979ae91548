package held

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sourcegraph/conc/iter"
	"golang.org/x/sys/unix"
)

// A plan is what a command sees, as data: the program inside only carries it out.
// Everything that is not named is read-only.
type plan struct {
	Overlays []overlay
	Shown    []string // read-only, though a private folder hides them; what can't be read is left out
	Private  []string // folders that are the command's own, and empty
	Empty    []string // files that are empty
	Sockets  []string // of others, which are empty files; one may have gone by then
	Closed   []string // folders that are empty, and read-only
	File     string   // an empty file, and an empty folder, to hide others with
	Folder   string
	Size     string // of all files in a private folder, as tmpfs has it

	covers []int // File and Folder, open
}

// An overlay is a folder whose changes go elsewhere, or parts of one.
type overlay struct {
	Target string
	Parts  []string // from the target; nil is the whole
	Lower  []string // the uppermost first
	Upper  string   // "" is none: it can't be changed
	Work   string
}

// targets are the folders that are overlaid.
func (o overlay) targets() []string { return joined(o.Target, o.Parts) }

// targets are the folders of all overlays.
func (p *plan) targets() (all []string) {
	for _, o := range p.Overlays {
		all = append(all, o.targets()...)
	}
	return all
}

// An attached is a mount that is to be put on a path.
type attached struct {
	fd        int
	target    string
	mayBeGone bool // the target may have gone, and then nothing is to be done
}

// mount makes the view in this mount namespace. What it is made from is opened
// before anything is covered.
func (p *plan) mount() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("private mounts: %w", err)
	}
	mounts, err := p.open()
	if err != nil {
		return err
	}
	for _, path := range []string{p.File, p.Folder} {
		if fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0); err == nil {
			p.covers = append(p.covers, fd)
		}
	}
	devices, err := openDevices()
	if err != nil {
		return err
	}
	closed := &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NODEV | unix.MOUNT_ATTR_NOSUID}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, closed); err != nil {
		return fmt.Errorf("read-only: %w", err)
	}
	if err := mountDevices(devices, p.Size); err != nil {
		return err
	}
	for _, folder := range p.Private {
		if err := mountPrivate(folder, p.Size); err != nil {
			return err
		}
	}
	slices.SortStableFunc(mounts, func(a, b attached) int { return len(a.target) - len(b.target) })
	for _, m := range mounts {
		if err := m.attach(); err != nil {
			return err
		}
	}
	return os.Chdir("/")
}

// open opens all mounts that are made from what is there now. The order of those
// on one path is that of the list.
func (p *plan) open() ([]attached, error) {
	var all []attached
	add := func(target string, fd int, err error) error {
		if err != nil {
			return fmt.Errorf("%s: %w", target, err)
		}
		all = append(all, attached{fd: fd, target: target})
		return nil
	}
	for _, path := range p.Shown {
		fd, err := clone(path, unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NODEV|unix.MOUNT_ATTR_NOSUID)
		if gone(err) || errors.Is(err, unix.EACCES) {
			continue // the command could not read it either
		}
		if err := add(path, fd, err); err != nil {
			return nil, err
		}
	}
	// The kernel makes folders and files of its own for each overlay, which takes most
	// of the time of all mounts: they are made side by side.
	overlays, err := iter.MapErr(p.Overlays, func(o *overlay) (int, error) { return o.open() })
	if err != nil {
		return nil, err
	}
	for i, o := range p.Overlays {
		opened, err := o.partsOf(overlays[i], p.Folder)
		if err != nil {
			return nil, err
		}
		all = append(all, opened...)
	}
	hide := func(paths []string, with string) error {
		for _, path := range paths {
			fd, err := clone(with, unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NODEV|unix.MOUNT_ATTR_NOSUID)
			if err := add(path, fd, err); err != nil {
				return err
			}
		}
		return nil
	}
	if err := hide(p.Closed, p.Folder); err != nil {
		return nil, err
	}
	if err := hide(p.Empty, p.File); err != nil {
		return nil, err
	}
	others := len(all)
	err = hide(p.Sockets, p.File)
	for i := range all[others:] {
		all[others+i].mayBeGone = true
	}
	return all, err
}

// gone reports whether an error says that a path does not exist.
func gone(err error) bool {
	return errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR)
}

// clone opens a tree of mounts as it is, to be put elsewhere.
func clone(path string, attributes uint64) (int, error) {
	fd, err := unix.OpenTree(unix.AT_FDCWD, path, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
	if err != nil || attributes == 0 {
		return fd, err
	}
	return fd, unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: attributes})
}

// open mounts an overlay nowhere yet. Folders are given to the kernel by their
// numbers: a path may hold what separates them.
func (o overlay) open() (int, error) {
	var files []int
	defer func() {
		for _, fd := range files {
			unix.Close(fd)
		}
	}()
	number := func(path string) (string, error) {
		fd, err := unix.Open(path, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			return "", fmt.Errorf("overlay of %s: %s: %w", o.Target, path, err)
		}
		files = append(files, fd)
		return fmt.Sprintf("/proc/self/fd/%d", fd), nil
	}
	var lowers []string
	for _, path := range o.Lower {
		lower, err := number(path)
		if err != nil {
			return 0, err
		}
		lowers = append(lowers, lower)
	}
	if o.Upper == "" {
		return newMount("overlay", unix.MOUNT_ATTR_NODEV|unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_RDONLY,
			"lowerdir", strings.Join(lowers, ":"), "userxattr", "")
	}
	upper, err := number(o.Upper)
	if err != nil {
		return 0, err
	}
	work, err := number(o.Work)
	if err != nil {
		return 0, err
	}
	return newMount("overlay", unix.MOUNT_ATTR_NODEV|unix.MOUNT_ATTR_NOSUID,
		"lowerdir", strings.Join(lowers, ":"), "upperdir", upper, "workdir", work, "userxattr", "",
		"volatile", "") // what is in it need not outlive a crash of the system: syncing costs more than all the rest
}

// partsOf returns an open overlay as a whole, or its parts. For these it is put on a
// folder for a moment: what is nowhere yet has no parts on older kernels.
func (o overlay) partsOf(fd int, moment string) ([]attached, error) {
	if o.Parts == nil {
		return []attached{{fd: fd, target: o.Target}}, nil
	}
	whole := attached{fd: fd, target: moment}
	if err := whole.attach(); err != nil {
		return nil, err
	}
	var all []attached
	for i, target := range o.targets() {
		fd, err := clone(filepath.Join(whole.target, o.Parts[i]), 0)
		if gone(err) {
			continue // somebody has just removed it
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", target, err)
		}
		all = append(all, attached{fd: fd, target: target})
	}
	return all, wrapped(whole.target, unix.Unmount(whole.target, unix.MNT_DETACH))
}

// newMount mounts a file system nowhere yet. Options are pairs; one without a
// value is a flag.
func newMount(kind string, attributes int, options ...string) (int, error) {
	fs, err := unix.Fsopen(kind, unix.FSOPEN_CLOEXEC)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", kind, err)
	}
	defer unix.Close(fs)
	for i := 0; i < len(options); i += 2 {
		if options[i+1] == "" {
			err = unix.FsconfigSetFlag(fs, options[i])
		} else {
			err = unix.FsconfigSetString(fs, options[i], options[i+1])
		}
		if err != nil {
			return 0, fmt.Errorf("%s: %s: %w", kind, options[i], err)
		}
	}
	if err := unix.FsconfigCreate(fs); err != nil {
		return 0, fmt.Errorf("%s: %w", kind, err)
	}
	fd, err := unix.Fsmount(fs, unix.FSMOUNT_CLOEXEC, attributes)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", kind, err)
	}
	return fd, nil
}

// attach puts a mount on its path, which is made where a private folder hides it.
func (m attached) attach() error {
	defer unix.Close(m.fd)
	err := unix.MoveMount(m.fd, "", unix.AT_FDCWD, m.target, unix.MOVE_MOUNT_F_EMPTY_PATH)
	if !gone(err) {
		return wrapped(m.target, err)
	}
	var info unix.Stat_t
	if err := unix.Fstat(m.fd, &info); err != nil {
		return wrapped(m.target, err)
	}
	if err := makeTarget(m.target, info.Mode&unix.S_IFMT == unix.S_IFDIR); m.mayBeGone && errors.Is(err, unix.EROFS) {
		return nil
	} else if err != nil {
		return err
	}
	return wrapped(m.target, unix.MoveMount(m.fd, "", unix.AT_FDCWD, m.target, unix.MOVE_MOUNT_F_EMPTY_PATH))
}

// makeTarget makes a path to mount on.
func makeTarget(path string, folder bool) error {
	if folder {
		return os.MkdirAll(path, 0o755)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, nil, 0o600)
}

func wrapped(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}

// mountPrivate covers a folder with an empty one. A link, or what does not exist,
// needs none.
func mountPrivate(folder, size string) error {
	if info, err := os.Lstat(folder); err != nil || !info.IsDir() {
		return nil
	}
	return mountAt(folder, "tmpfs", unix.MOUNT_ATTR_NODEV|unix.MOUNT_ATTR_NOSUID, "mode", "1777", "size", size)
}

// mountAt mounts a file system on a path.
func mountAt(path, kind string, attributes int, options ...string) error {
	fd, err := newMount(kind, attributes, options...)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return attached{fd: fd, target: path}.attach()
}

// closeMount has nothing be changed on a mount any more.
func closeMount(path string) error {
	closed := &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	return wrapped(path, unix.MountSetattr(unix.AT_FDCWD, path, 0, closed))
}

// deviceNames are those that programs take for granted.
func deviceNames() []string { return []string{"null", "zero", "full", "random", "urandom", "tty"} }

func openDevices() (map[string]int, error) {
	all := map[string]int{}
	for _, name := range deviceNames() {
		// A device on a read-only mount can be written, but its mode and its owner, which
		// are those of the system's own, can't be changed.
		fd, err := clone("/dev/"+name, unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NOEXEC)
		if gone(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("/dev/%s: %w", name, err)
		}
		all[name] = fd
	}
	return all, nil
}

// mountDevices makes a /dev that has no disk, no terminal and no memory of others.
func mountDevices(devices map[string]int, size string) error {
	if err := mountAt("/dev", "tmpfs", unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NOEXEC, "mode", "0755", "size", "1m"); err != nil {
		return err
	}
	for name, fd := range devices {
		path := filepath.Join("/dev", name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			return err
		}
		if err := (attached{fd: fd, target: path}).attach(); err != nil {
			return err
		}
	}
	for _, folder := range []string{"/dev/shm", "/dev/pts"} {
		if err := os.Mkdir(folder, 0o755); err != nil {
			return err
		}
	}
	for name, target := range map[string]string{
		"ptmx": "pts/ptmx", "fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2",
	} {
		if err := os.Symlink(target, filepath.Join("/dev", name)); err != nil {
			return err
		}
	}
	if err := mountAt("/dev/pts", "devpts", unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NOEXEC, "ptmxmode", "0666", "mode", "0620"); err != nil {
		return err
	}
	if err := mountPrivate("/dev/shm", size); err != nil {
		return err
	}
	return closeMount("/dev")
}

// mountProc shows the processes of this namespace, and no others. Root could
// change the system by what is in it: it is read-only after the limits are set.
func mountProc(limit func()) error {
	if err := mountAt("/proc", "proc", unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV|unix.MOUNT_ATTR_NOEXEC); err != nil {
		return err
	}
	limit()
	return closeMount("/proc")
}
