package held

import (
	"fmt"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// restrict keeps this thread, and the command that it starts, from what mounts don't
// keep it from: sockets without a file, at which a bus would start programs for it,
// signals to what is outside, and pipes in the file system, which are written to on
// read-only mounts, too. An old kernel, or one without Landlock, can do less.
func (p *plan) restrict() {
	newest, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return
	}
	var rules unix.LandlockRulesetAttr
	if newest >= 2 { // the first one lets nothing be moved to another folder
		rules.Handled_access_fs = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REFER
	}
	if newest >= 6 {
		rules.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	if p.enforce(rules) != nil {
		rules.Handled_access_fs = 0
		_ = p.enforce(rules)
	}
}

// enforce restricts this thread for good, unless it is an error.
func (p *plan) enforce(rules unix.LandlockRulesetAttr) error {
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&rules)), unsafe.Sizeof(rules), 0)
	if errno != 0 {
		return errno
	}
	defer unix.Close(int(fd))
	if rules.Handled_access_fs != 0 {
		for _, path := range p.writable() {
			if err := allowBelow(int(fd), path, rules.Handled_access_fs); err != nil {
				return err
			}
		}
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// writable are the folders in which the command changes something, of its own or of
// an overlay.
func (p *plan) writable() []string {
	return slices.Concat([]string{"/dev", "/proc"}, p.Private, p.targets())
}

// allowBelow lets a path be written, and all below it. One that does not exist needs
// no rule.
func allowBelow(rules int, path string, rights uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if gone(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	defer unix.Close(fd)
	rule := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(rules), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}
