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

// plan describes the view of a command; the program inside carries it out. Everything that
// is not named is read-only.
type plan struct {
	Overlays []overlay
	Direct   []string // files and folders themselves, which the command can change
	Shown    []string // read-only, although in a private folder; what can't be read is left out
	Private  []string // folders of which the command has its own, empty one
	Hidden   []string // files and folders that are empty and read-only; one may have gone by then
	File     string   // an empty file and an empty folder to hide others with
	Folder   string

	covers []int // File and Folder, open
}

// overlay is an overlay of a folder, or of parts of one.
type overlay struct {
	Target string
	Parts  []string // from the target; nil is the whole
	Lower  []string // the uppermost first
	Upper  string   // "" makes it read-only
	Work   string
}

// targets returns the folders of all overlays.
func (p *plan) targets() (all []string) {
	for _, o := range p.Overlays {
		all = append(all, o.targets()...)
	}
	return all
}

// targets returns the paths of the parts of an overlay, or of the whole if it has none.
func (o overlay) targets() (all []string) {
	if o.Parts == nil {
		return []string{o.Target}
	}
	for _, part := range o.Parts {
		all = append(all, filepath.Join(o.Target, part))
	}
	return all
}

// attached is a mount to attach to a path.
type attached struct {
	fd     int
	target string
}

// What can be done through a mount: of what is only there to be read, of what a command may
// change, and of a device, which can be written on a read-only mount all the same, but not its
// mode and its owner, which are those of the system's device.
const (
	toRead   = unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NODEV | unix.MOUNT_ATTR_NOSUID
	toChange = unix.MOUNT_ATTR_NODEV | unix.MOUNT_ATTR_NOSUID
	toUse    = unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NOEXEC
)

// mount makes the view in this mount namespace. It opens all sources before it covers
// anything. What is in a folder is attached after that. /dev and /proc are writable until they
// are closed.
func (p *plan) mount() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("private mounts: %w", err)
	}
	mounts, err := p.open()
	if err != nil {
		return err
	}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: toRead}); err != nil {
		return fmt.Errorf("read-only: %w", err)
	}
	slices.SortStableFunc(mounts, func(a, b attached) int { return len(a.target) - len(b.target) })
	for _, m := range mounts {
		if err := m.attach(); err != nil {
			return fmt.Errorf("%s: %w", m.target, err)
		}
	}
	for name, target := range map[string]string{
		"ptmx": "pts/ptmx", "fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2",
	} {
		if err := os.Symlink(target, filepath.Join("/dev", name)); err != nil {
			return err
		}
	}
	return os.Chdir("/")
}

// open opens all mounts. Those on one path are in the order in which they have to be attached.
func (p *plan) open() ([]attached, error) {
	var all []attached
	var errs []error
	add := func(target string, fd int, err error) {
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", target, err))
			return
		}
		all = append(all, attached{fd, target})
	}
	for _, f := range p.fileSystems() {
		fd, err := newMount(f.kind, f.attributes, f.options...)
		add(f.target, fd, err)
	}
	for _, name := range []string{"null", "zero", "full", "random", "urandom", "tty"} { // that programs take for granted
		path := "/dev/" + name
		if fd, err := clone(path, toUse); !gone(err) {
			add(path, fd, err)
		}
	}
	for _, path := range p.Shown {
		if fd, err := clone(path, toRead); !gone(err) && !errors.Is(err, unix.EACCES) { // else the command could not read it either
			add(path, fd, err)
		}
	}
	// To mount an overlay takes much longer than any other mount, because the kernel
	// creates folders and files for it: mount them in parallel.
	overlays, err := iter.MapErr(p.Overlays, func(o *overlay) (int, error) { return o.open() })
	if err != nil {
		return nil, err
	}
	for i, o := range p.Overlays {
		opened, err := o.partsOf(overlays[i], p.Folder)
		all, errs = append(all, opened...), append(errs, err)
	}
	for _, path := range p.Direct {
		fd, err := clone(path, toChange)
		add(path, fd, err)
	}
	for _, path := range p.Hidden {
		with := p.File
		if info, err := os.Stat(path); err != nil {
			continue // it has gone
		} else if info.IsDir() {
			with = p.Folder
		}
		fd, err := clone(with, toRead)
		add(path, fd, err)
	}
	for _, path := range []string{p.File, p.Folder} {
		if fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0); err == nil {
			p.covers = append(p.covers, fd)
		}
	}
	return all, errors.Join(errs...)
}

// fileSystem is one that a command has for itself.
type fileSystem struct {
	target, kind string
	attributes   int
	options      []string
}

// fileSystems returns a /dev without disks, without memory, and without the terminals and the
// shared memory of other programs; a /proc with only the processes of this namespace; and the
// private folders, which are in memory.
func (p *plan) fileSystems() []fileSystem {
	private := func(folder, size string) fileSystem {
		return fileSystem{folder, "tmpfs", toChange, []string{"mode", "1777", "size", size}}
	}
	all := []fileSystem{
		{"/dev", "tmpfs", unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NOEXEC, []string{"mode", "0755", "size", "1m"}},
		{"/dev/pts", "devpts", unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NOEXEC, []string{"ptmxmode", "0666", "mode", "0620"}},
		private("/dev/shm", "10%"),
		{"/proc", "proc", unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV | unix.MOUNT_ATTR_NOEXEC, nil},
	}
	for _, folder := range p.Private {
		size := "10%"
		if folder == "/tmp" {
			size = "25%"
		}
		if info, err := os.Lstat(folder); err == nil && info.IsDir() {
			all = append(all, private(folder, size))
		}
	}
	return all
}

// partsOf returns an open overlay, or its parts. For the parts the overlay is attached to
// a folder for a moment, because older kernels can't clone a part of one that is not.
func (o overlay) partsOf(fd int, moment string) ([]attached, error) {
	if o.Parts == nil {
		return []attached{{fd, o.Target}}, nil
	}
	err := moveMount(fd, moment)
	unix.Close(fd)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", moment, err)
	}
	var all []attached
	for i, target := range o.targets() {
		fd, err := clone(filepath.Join(moment, o.Parts[i]), 0)
		if gone(err) {
			continue // somebody has just removed it
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", target, err)
		}
		all = append(all, attached{fd, target})
	}
	if err := unix.Unmount(moment, unix.MNT_DETACH); err != nil {
		return nil, fmt.Errorf("%s: %w", moment, err)
	}
	return all, nil
}

// gone reports whether an error says that a path does not exist.
func gone(err error) bool {
	return errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR)
}

// clone opens a copy of a tree of mounts, to be attached elsewhere.
func clone(path string, attributes uint64) (int, error) {
	fd, err := unix.OpenTree(unix.AT_FDCWD, path, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
	if err != nil || attributes == 0 {
		return fd, err
	}
	return fd, unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: attributes})
}

// open returns an overlay that is not attached. The kernel gets folders by their
// descriptors, because a path may contain the separator of the option.
func (o overlay) open() (int, error) {
	folders, attributes := o.Lower, toRead
	if o.Upper != "" {
		folders, attributes = slices.Concat(o.Lower, []string{o.Upper, o.Work}), toChange
	}
	var numbers []string
	for _, path := range folders {
		fd, err := unix.Open(path, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			return 0, fmt.Errorf("overlay of %s: %s: %w", o.Target, path, err)
		}
		defer unix.Close(fd)
		numbers = append(numbers, fmt.Sprintf("/proc/self/fd/%d", fd))
	}
	n := len(o.Lower)
	options := []string{"lowerdir", strings.Join(numbers[:n], ":"), "userxattr", ""}
	if o.Upper != "" { // it need not survive a crash of the system, and syncing costs more than all the rest
		options = append(options, "upperdir", numbers[n], "workdir", numbers[n+1], "volatile", "")
	}
	return newMount("overlay", attributes, options...)
}

// newMount returns a mount that is not attached. Options are pairs; one without a value is
// a flag.
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

// attach attaches a mount to its path, which it creates if the folder of that has just been
// mounted. In any other folder it has gone, and so there is nothing to show or to hide.
func (m attached) attach() error {
	defer unix.Close(m.fd)
	err := moveMount(m.fd, m.target)
	if !gone(err) {
		return err
	}
	var info unix.Stat_t
	if err := unix.Fstat(m.fd, &info); err != nil {
		return err
	}
	err = makeTarget(m.target, info.Mode&unix.S_IFMT == unix.S_IFDIR)
	if err == nil {
		err = moveMount(m.fd, m.target)
	}
	if errors.Is(err, unix.EROFS) {
		return nil
	}
	return err
}

// moveMount attaches a mount to a path that exists.
func moveMount(fd int, target string) error {
	return unix.MoveMount(fd, "", unix.AT_FDCWD, target, unix.MOVE_MOUNT_F_EMPTY_PATH)
}

// makeTarget creates a path to mount on.
func makeTarget(path string, folder bool) error {
	if folder {
		return os.MkdirAll(path, 0o755)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, nil, 0o600)
}

// closeMount makes a mount read-only.
func closeMount(path string) error {
	if err := unix.MountSetattr(unix.AT_FDCWD, path, 0, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
