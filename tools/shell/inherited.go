package shell

import (
	"os"
	"strconv"
	"sync"
	"syscall"
)

// CloseInherited marks the open files that this process has inherited, except its three
// streams, to be closed in programs that it starts: a command must not write to a lock or
// a log of its caller, which no view of the file system could prevent. Files that Go opens
// are marked anyway. Running a [Command] does this; whatever else starts programs for a
// workflow has to call it. It is safe for concurrent use.
func CloseInherited() { closeInherited() }

var closeInherited = sync.OnceFunc(func() {
	entries, _ := os.ReadDir("/dev/fd")
	for _, entry := range entries {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
})
