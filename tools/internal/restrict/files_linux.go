// Package restrict has the calling thread give up rights, for good, and for all that it
// starts: to files, to sockets, to the powers of root.
package restrict

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// LandlockVersion returns the version of Landlock that the kernel has, or why it has none.
func LandlockVersion() (int, error) {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0, fmt.Errorf("the kernel has no Landlock: %w", errno)
	}
	return int(version), nil
}

// onFile are the rights that a file has, which is no folder.
const onFile = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_READ_FILE

// Files has the kernel withhold what the rules handle, but leave the rights to files at
// some paths, and to all below them, and to open files. A path that does not exist needs
// no rule, and one with a link in it gets none: a command beside this one may have put it
// there. The thread has to have given up new privileges. The format is that of landlock(7).
func Files(rules unix.LandlockRulesetAttr, paths []string, open ...int) error {
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
