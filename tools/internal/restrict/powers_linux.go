package restrict

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// Powers drops all capabilities from the calling thread; root keeps some. See
// capabilities(7). Without the right to drop them it returns EPERM.
func Powers(kept ...int) error {
	err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
	if err != nil && !errors.Is(err, unix.EINVAL) { // an old kernel has no such set
		return fmt.Errorf("capabilities: %w", err)
	}
	root := os.Geteuid() == 0
	var left [2]unix.CapUserData
	for power := 0; power < 64; power++ {
		has, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, uintptr(power), 0, 0, 0)
		if err != nil {
			break // that was the last one
		}
		if has == 0 {
			continue
		}
		if root && slices.Contains(kept, power) {
			bit := uint32(1) << (power % 32)
			left[power/32].Effective |= bit
			left[power/32].Permitted |= bit
			continue
		}
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, uintptr(power), 0, 0, 0); err != nil {
			return fmt.Errorf("capability %d: %w", power, err)
		}
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	if err := unix.Capset(&header, &left[0]); err != nil {
		return fmt.Errorf("capabilities: %w", err)
	}
	return nil
}
