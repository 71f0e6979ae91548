package held

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// Bounds are what a command may have as a whole. Its processes are looked at all the
// while, from inside: the system bounds single ones alone, unless it lets this
// program have a cgroup, which most don't.
type bounds struct {
	Memory uint64 // bytes, of all processes and temporary files; 0 is no bound
	Disk   uint64 // bytes that stay free where changes go
}

// leastDisk is what a command leaves free, in bytes, where that was free before.
const leastDisk = 256 << 20

// usualBounds are three quarters of the memory that this program may use.
func usualBounds() bounds {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return bounds{Disk: leastDisk}
	}
	memory := info.Totalram * uint64(info.Unit)
	for _, path := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		if most, err := strconv.ParseUint(string(bytes.TrimSpace(text)), 10, 64); err == nil { // it may be "max"
			memory = min(memory, most)
		}
	}
	return bounds{Memory: memory / 4 * 3, Disk: leastDisk}
}

// A watch ends a command that takes more than its bounds.
type watch struct {
	bounds
	folders []string // for temporary files
	changes []string // whose files go to a disk
	free    []uint64 // of each of them, when the command began
	why     atomic.Pointer[string]
}

// watchPause is how long nobody looks, unless looking takes long.
const watchPause = 50 * time.Millisecond

// newWatch is made before the command starts.
func (s *spec) newWatch() *watch {
	w := &watch{bounds: s.Bounds, folders: append([]string{"/dev/shm"}, s.Plan.Private...)}
	for _, o := range s.Plan.Overlays {
		at := o.targets()[0]
		w.changes, w.free = append(w.changes, at), append(w.free, free(at))
	}
	return w
}

// run looks until done is closed.
func (w *watch) run(done <-chan struct{}) {
	for pause := watchPause; ; {
		select {
		case <-done:
			return
		case <-time.After(pause):
		}
		start := time.Now()
		if why := w.overrun(); why != "" {
			w.why.Store(&why)
			_ = unix.Kill(-1, unix.SIGKILL) // all in here but this process
		}
		pause = max(watchPause, 10*time.Since(start))
	}
}

// overrun says what the command has taken too much of; "" is nothing.
func (w *watch) overrun() string {
	for i, folder := range w.changes {
		if w.free[i] > w.Disk && free(folder) < w.Disk {
			return "it left less than " + amount(w.Disk) + " free on the disk"
		}
	}
	used, seen := w.memory()
	if !seen {
		return "it closed the view of its memory"
	}
	if w.Memory > 0 && used > w.Memory {
		return "it used more than " + amount(w.Memory) + " of memory, with its temporary files"
	}
	return ""
}

// amount is a number of bytes for people.
func amount(bytes uint64) string {
	if bytes < 1<<30 {
		return fmt.Sprintf("%d MiB", bytes>>20)
	}
	return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30))
}

func free(folder string) uint64 {
	var info unix.Statfs_t
	if unix.Statfs(folder, &info) != nil {
		return 0
	}
	return info.Bavail * uint64(info.Bsize)
}

// memory is what the processes of this namespace have for themselves, and what is in
// temporary files. Seen is false where that can't be read: a command may take from
// this process the right to open files.
func (w *watch) memory() (all uint64, seen bool) {
	for _, folder := range w.folders {
		var info unix.Statfs_t
		if unix.Statfs(folder, &info) == nil && info.Type == unix.TMPFS_MAGIC {
			all += (info.Blocks - info.Bfree) * uint64(info.Bsize)
		}
	}
	found := processes()
	for _, process := range found {
		var size, resident, shared uint64
		text, err := os.ReadFile(filepath.Join(process, "statm"))
		if err != nil {
			continue // it has ended
		}
		if _, err := fmt.Sscan(string(text), &size, &resident, &shared); err == nil && resident > shared {
			all += (resident - shared) * uint64(os.Getpagesize())
		}
	}
	return all, len(found) > 0
}
