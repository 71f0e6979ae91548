package runner

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// hold marks a run as one that goes on, until its events are closed, also by the
// death of the process. Where files can't be locked there is no mark: the run looks
// like one that was killed.
func hold(events *os.File) {
	_ = unix.Flock(int(events.Fd()), unix.LOCK_EX|unix.LOCK_NB)
}

// goesOn reports whether a process works in the run of a folder.
func goesOn(dir string) bool {
	events, err := os.Open(filepath.Join(dir, "events.jsonl"))
	if err != nil {
		return false
	}
	defer events.Close()
	return errors.Is(unix.Flock(int(events.Fd()), unix.LOCK_SH|unix.LOCK_NB), unix.EWOULDBLOCK)
}
