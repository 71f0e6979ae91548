package shell

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/a-seed-11b9befa/flow/tools/internal/offline"
)

// Sandboxes reports why the kernel has none for commands, or nil.
func Sandboxes() error {
	_, err := landlockVersion()
	return err
}

// landlockVersion asks for the version of Landlock that the kernel has.
func landlockVersion() (int, error) {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0, fmt.Errorf("the kernel has no Landlock: %w", errno)
	}
	return int(version), nil
}

// Enter puts the calling thread into the sandbox, for good. What it starts is in
// it from its first instruction on: no helper program is needed, and the rest of
// this process stays as it is. The thread has to be locked to its goroutine, and
// to end with it.
func (s *Sandbox) Enter() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("sandbox: %w", err)
	}
	if err := s.restrictWrites(); err != nil {
		return fmt.Errorf("sandbox: %w", err)
	}
	if !s.Offline {
		return nil
	}
	if err := offline.Only(unix.AF_UNIX, unix.AF_NETLINK); err != nil {
		return fmt.Errorf("sandbox: network: %w", err)
	}
	return nil
}

// changes are the rights that change a file or a folder, as the first version of
// Landlock has them.
const changes = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
	unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG |
	unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK |
	unix.LANDLOCK_ACCESS_FS_MAKE_SYM

// onFile are the rights among them that a file has, which is no folder.
const onFile = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE

// handled are the rights that a version of Landlock can withhold.
func handled(version int) uint64 {
	rights := uint64(changes)
	if version >= 2 {
		rights |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if version >= 3 {
		rights |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	return rights
}

// restrictWrites withholds all rights to change files but those below s.Write.
// The format is that of landlock(7).
func (s *Sandbox) restrictWrites() error {
	version, err := landlockVersion()
	if err != nil {
		return err
	}
	rules := unix.LandlockRulesetAttr{Handled_access_fs: handled(version)}
	if version >= 6 {
		// It may end no process but its own, and speak by sockets without a file to
		// no other: a bus or a display would start programs for it outside.
		rules.Scoped = unix.LANDLOCK_SCOPE_SIGNAL | unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&rules)), unsafe.Sizeof(rules), 0)
	if errno != 0 {
		return fmt.Errorf("rules: %w", errno)
	}
	ruleset := int(fd)
	defer unix.Close(ruleset)
	for _, path := range append(devices(), s.Write...) {
		if err := allowBelow(ruleset, path, rules.Handled_access_fs); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(ruleset), 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// devices are what programs write to though it keeps nothing.
func devices() []string {
	return []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx", "/dev/pts"}
}

// allowBelow adds a rule for a path. One that does not exist needs none.
func allowBelow(ruleset int, path string, rights uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission) || errors.Is(err, unix.ENOTDIR) {
		return nil
	}
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	var info unix.Stat_t
	if err := unix.Fstat(fd, &info); err != nil {
		return err
	}
	if info.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= onFile
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// touched is when a file was changed in any way.
func touched(info fs.FileInfo) time.Time {
	if system, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(system.Ctim.Unix())
	}
	return time.Now() // it has to be read
}
