package shell

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// dropPowers takes from the calling thread, for good, and from all that it starts
// what root may do to the system and to other processes. Where flow runs as root,
// in a container say, a model's command could otherwise read the memory of flow,
// where keys are, and go round a sandbox: CAP_PERFMON reads the memory of processes
// that Landlock keeps from a command, CAP_MKNOD makes a device of a disk. Others
// than root have no such powers. See capabilities(7).
func dropPowers() error {
	for power := 0; ; power++ {
		has, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, uintptr(power), 0, 0, 0)
		if err != nil {
			return nil // that was the last one
		}
		if has == 0 || keptPower(power) {
			continue
		}
		_ = unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_LOWER, uintptr(power), 0, 0) // an old kernel has no such set
		err = unix.Prctl(unix.PR_CAPBSET_DROP, uintptr(power), 0, 0, 0)
		if errors.Is(err, unix.EPERM) {
			return nil // not root
		}
		if err != nil {
			return fmt.Errorf("capability %d: %w", power, err)
		}
	}
}

// keptPower reports whether a command goes on having a capability: those that
// install software in a container, and have no other process in their reach.
func keptPower(power int) bool {
	switch power {
	case unix.CAP_CHOWN, unix.CAP_DAC_OVERRIDE, unix.CAP_FOWNER, unix.CAP_FSETID, unix.CAP_SETFCAP,
		unix.CAP_SETGID, unix.CAP_SETUID, unix.CAP_SETPCAP, unix.CAP_SYS_CHROOT, unix.CAP_KILL,
		unix.CAP_NET_BIND_SERVICE, unix.CAP_AUDIT_WRITE:
		return true
	}
	return false
}
