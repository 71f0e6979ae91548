package term

import (
	"os"

	"golang.org/x/sys/unix"
)

// DiscardTyped drops unread input of a terminal.
func DiscardTyped(terminal *os.File) {
	const read = 1                     // FREAD of sys/fcntl.h
	raw, err := terminal.SyscallConn() // Fd would end the deadlines of reads
	if err != nil {
		return
	}
	raw.Control(func(fd uintptr) { unix.IoctlSetPointerInt(int(fd), unix.TIOCFLUSH, read) })
}
