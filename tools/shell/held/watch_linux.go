package held

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// bounds are the limits of a command as a whole. They are checked while it runs, from
// inside: the system has such limits only for single processes, or for a cgroup, which
// most systems don't let this program have.
type bounds struct {
	Memory uint64 // bytes, of all processes and temporary files; 0 is no limit
	Disk   uint64 // bytes to leave free on the disk of changes
}

// minDisk is how many bytes a command has to leave free, unless there were fewer before.
const minDisk = 256 << 20

// usualBounds returns three quarters of the memory that this program may use, and
// minDisk.
func usualBounds() bounds {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return bounds{Disk: minDisk}
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
	return bounds{Memory: memory / 4 * 3, Disk: minDisk}
}

// watch kills a command that exceeds its bounds.
type watch struct {
	bounds
	folders []string // for temporary files
	changes []string // the folders whose changes go to a disk
	free    []uint64 // how many bytes were free for each of them when the command began
}

// watchPause is the pause between two checks.
const watchPause = 50 * time.Millisecond

// newWatch returns a watch. It has to be called before the command starts.
func (s *spec) newWatch() *watch {
	w := &watch{bounds: s.Bounds, folders: append([]string{"/dev/shm"}, s.Plan.Private...)}
	for _, o := range s.Plan.Overlays {
		w.changes, w.free = append(w.changes, o.Target), append(w.free, free(o.Target))
	}
	return w
}

// run checks the bounds until done is closed. It returns why it has killed the command, or "".
func (w *watch) run(done <-chan struct{}) (why string) {
	for {
		select {
		case <-done:
			return why
		case <-time.After(watchPause):
		}
		if why = cmp.Or(why, w.overrun()); why != "" {
			_ = unix.Kill(-1, unix.SIGKILL) // every process in the namespace but this one
		}
	}
}

// overrun returns what the command has used too much of, or "".
func (w *watch) overrun() string {
	for i, folder := range w.changes {
		if w.free[i] > w.Disk && free(folder) < w.Disk {
			return fmt.Sprintf("it left less than %d MiB free on the disk", w.Disk>>20)
		}
	}
	used, seen := w.memory()
	if !seen {
		return "it closed the view of its memory"
	}
	if w.Memory > 0 && used > w.Memory {
		return fmt.Sprintf("it used more than %d MiB of memory, with its temporary files", w.Memory>>20)
	}
	return ""
}

func free(folder string) uint64 {
	var info unix.Statfs_t
	if unix.Statfs(folder, &info) != nil {
		return 0
	}
	return info.Bavail * uint64(info.Bsize)
}

// memory returns how many bytes the processes of this namespace do not share with others,
// and its temporary files have. seen is false if that can't be read: a command may lower
// this process's limit of open files.
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
