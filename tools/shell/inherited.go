package shell

import (
	"os"
	"strconv"
	"sync"
	"syscall"
)

// CloseInherited has the files that this process was started with, beside its three
// streams, closed for commands: a lock or a log of whoever started it is no command's
// to write, and no view of the file system would keep it from that. What Go opens is
// closed for them anyway. Commands do so by themselves; what starts other programs for
// a workflow calls it. It is safe for concurrent use.
func CloseInherited() { closeInherited() }

var closeInherited = sync.OnceFunc(func() {
	entries, _ := os.ReadDir("/dev/fd")
	for _, entry := range entries {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
})
