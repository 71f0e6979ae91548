package held

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// minDisk is how many bytes a command has to leave free on the disk of its changes, unless
// there were fewer before. The system has such a limit only for single files. Memory the
// kernel takes back by itself: it ends a command first.
const minDisk = 256 << 20

// watchPause is the pause between two looks at the disk.
const watchPause = 50 * time.Millisecond

// roomy returns the folders of the overlays on whose disks there is enough left.
func (p *plan) roomy() (all []string) {
	for _, path := range p.targets() {
		if !isFull(path) {
			all = append(all, path)
		}
	}
	return all
}

func isFull(path string) bool {
	var info unix.Statfs_t
	return unix.Statfs(path, &info) != nil || info.Bavail*uint64(info.Bsize) < minDisk
}

// watch kills the command when the disk of one of the folders is full, until done is closed.
// It returns why it has done so, or "".
func watch(folders []string, done <-chan struct{}) (why string) {
	for {
		select {
		case <-done:
			return why
		case <-time.After(watchPause):
		}
		for _, path := range folders {
			if isFull(path) {
				why = fmt.Sprintf("it left less than %d MiB free on the disk", minDisk>>20)
				_ = unix.Kill(-1, unix.SIGKILL) // every process in the namespace but this one
			}
		}
	}
}
