package shell

import (
	"errors"

	"golang.org/x/sys/unix"

	"github.com/a-seed-11b9befa/flow/tools/internal/restrict"
)

// dropPowers takes from the calling thread, for good, and from all that it starts
// what root may do to the system and to other processes. Where flow runs as root,
// in a container say, a model's command could otherwise read the memory of flow,
// where keys are, and go round a sandbox: CAP_PERFMON reads the memory of processes
// that Landlock keeps from a command, CAP_MKNOD makes a device of a disk. What is kept
// installs software in a container, and has no other process in its reach. Others
// than root have no such powers.
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
