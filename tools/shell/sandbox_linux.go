package shell

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/a-seed-11b9befa/flow/tools/internal/restrict"
)

// Sandboxes returns nil if the kernel has sandboxes for commands, or an error.
func Sandboxes() error {
	_, err := restrict.LandlockVersion()
	return err
}

// Enter puts the calling thread into the sandbox, for good, and so all programs that it
// starts, from their first instruction on. The rest of this process stays as it is. The
// thread has to be locked to its goroutine, and to end with it.
func (s *Sandbox) Enter() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("sandbox: %w", err)
	}
	if err := s.restrictFiles(); err != nil {
		return fmt.Errorf("sandbox: %w", err)
	}
	if !s.Offline {
		return nil
	}
	if err := restrict.Sockets(unix.AF_UNIX, unix.AF_NETLINK); err != nil {
		return fmt.Errorf("sandbox: network: %w", err)
	}
	return nil
}

// restrictFiles withholds the rights to change files outside of s.Write, and to read
// s.Unread.
func (s *Sandbox) restrictFiles() error {
	version, err := restrict.LandlockVersion()
	if err == nil {
		err = restrict.Changing(version, append(devices(), s.Write...))
	}
	if err != nil || len(s.Unread) == 0 {
		return err
	}
	return restrict.Reading(version, s.Unread)
}

// devices are the devices to which writing changes nothing.
func devices() []string {
	return []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx", "/dev/pts"}
}

// touched returns the time of the last change of any kind to a file.
func touched(info fs.FileInfo) time.Time {
	if system, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(system.Ctim.Unix())
	}
	return time.Now() // it has to be read
}

// dropPowers drops capabilities from the calling thread, for good, and so from all that it
// starts. If flow runs as root, such as in a container, a model's command could otherwise
// read the memory of flow, which holds keys, or evade a sandbox: CAP_PERFMON reads the
// memory of processes that Landlock protects, CAP_MKNOD creates a device for a disk. The
// capabilities that are left are for installing software, and don't reach other processes.
// Users other than root have none of them.
func dropPowers() error {
	err := restrict.Powers(
		unix.CAP_CHOWN, unix.CAP_DAC_OVERRIDE, unix.CAP_FOWNER, unix.CAP_FSETID, unix.CAP_SETFCAP,
		unix.CAP_SETGID, unix.CAP_SETUID, unix.CAP_SETPCAP, unix.CAP_SYS_CHROOT, unix.CAP_KILL,
		unix.CAP_NET_BIND_SERVICE, unix.CAP_AUDIT_WRITE,
	)
	if errors.Is(err, unix.EPERM) {
		return nil
	}
	return err
}
