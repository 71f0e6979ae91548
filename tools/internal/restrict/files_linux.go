// Package restrict takes rights from the calling thread, for good, and from the programs
// that it starts: to files, to sockets, and the capabilities of root.
package restrict

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// LandlockVersion returns the kernel's version of Landlock, or an error if it has none.
func LandlockVersion() (int, error) {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0, fmt.Errorf("the kernel has no Landlock: %w", errno)
	}
	return int(version), nil
}

// Changing withholds changing files, except at some paths and below them, signals to other
// processes, and their abstract sockets: a bus or a display would start programs that nothing
// restricts. version is that of Landlock; an old one withholds less. The thread has to have
// given up new privileges.
func Changing(version int, writable []string) error {
	rules := unix.LandlockRulesetAttr{Handled_access_fs: unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG |
		unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_SYM}
	if version >= 2 {
		rules.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if version >= 3 {
		rules.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if version >= 6 {
		rules.Scoped = unix.LANDLOCK_SCOPE_SIGNAL | unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
	}
	return withhold(rules, writable)
}

// onFile are the rights that apply to files.
const onFile = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_READ_FILE

// withhold withholds the rights that the rules of landlock(7) handle, except to the files at
// some paths, to all below these, and to open files. It ignores a path that does not exist,
// and one with a symlink in it, which a command running now may have created.
func withhold(rules unix.LandlockRulesetAttr, paths []string, open ...int) error {
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&rules)), unsafe.Sizeof(rules), 0)
	if errno != 0 {
		return fmt.Errorf("rules: %w", errno)
	}
	defer unix.Close(int(fd))
	for _, path := range paths {
		if err := allowBelow(fd, path, rules.Handled_access_fs); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	for _, file := range open {
		if err := allow(fd, file, rules.Handled_access_fs); err != nil {
			return err
		}
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

func allowBelow(ruleset uintptr, path string, rights uint64) error {
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS}
	fd, err := unix.Openat2(unix.AT_FDCWD, path, &how)
	if slices.ContainsFunc([]error{unix.ENOENT, unix.EACCES, unix.ENOTDIR, unix.ELOOP}, func(e error) bool { return errors.Is(err, e) }) {
		return nil
	}
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return allow(ruleset, fd, rights)
}

func allow(ruleset uintptr, fd int, rights uint64) error {
	var info unix.Stat_t
	if err := unix.Fstat(fd, &info); err != nil {
		return err
	}
	if info.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= onFile
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, ruleset, unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}
