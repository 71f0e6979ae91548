package shell

import (
	"errors"

	"golang.org/x/sys/unix"

	"github.com/a-seed-11b9befa/flow/tools/internal/restrict"
)

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
