package term

import (
	"os"

	"golang.org/x/sys/unix"
)

// DiscardTyped drops unread input of a terminal, which was typed before a question stood there.
func DiscardTyped(terminal TTY) {
	file, ok := terminal.(*os.File)
	if !ok {
		return
	}
	raw, err := file.SyscallConn() // Fd would end the deadlines of reads
	if err != nil {
		return
	}
	raw.Control(func(fd uintptr) { unix.IoctlSetInt(int(fd), unix.TCFLSH, unix.TCIFLUSH) })
}
