package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

const lockFile = "lock"

// Locked is the error for a run in which another process works, with what is known about that
// process.
type Locked struct {
	PID   int       `json:"pid"` // 0 if nothing is known
	Host  string    `json:"host"`
	Since time.Time `json:"since"`
}

// Error names the process.
func (l *Locked) Error() string {
	if l.PID == 0 {
		return "another process is working on this run"
	}
	return fmt.Sprintf("process %d on %.100q has been working on this run since %s", l.PID, l.Host, l.Since.Format(time.RFC3339))
}

// acquireLock takes the lock of a folder, and writes into it who has it. The lock is released
// when the file is closed, also by the death of the process.
func acquireLock(root *os.Root) (*os.File, error) {
	f, err := openRegular(root, lockFile, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	if err = lock(f); errors.Is(err, unix.EWOULDBLOCK) {
		err = holder(f)
	} else if err == nil {
		err = sign(f)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// lockPatience is how long lock tries. A process that is killed while it starts another one leaves its
// locks to that until it executes its program; and [Reader.Busy] takes that of a journal for an instant.
const lockPatience = 500 * time.Millisecond

func lock(f *os.File) error {
	for end := time.Now().Add(lockPatience); ; time.Sleep(5 * time.Millisecond) {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EWOULDBLOCK) || time.Now().After(end) {
			return err
		}
	}
}

// Busy reports whether a process works in the run: it holds a lock on the journal, too, since nobody
// waits for the lock file.
func (r *Reader) Busy() bool {
	f, err := openRegular(r.root, File, os.O_RDONLY)
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB), unix.EWOULDBLOCK)
}

// Worker returns the process that works in the run; nil if none does.
func (r *Reader) Worker() *Locked {
	if !r.Busy() {
		return nil
	}
	f, err := openRegular(r.root, lockFile, os.O_RDONLY)
	if err != nil {
		return &Locked{}
	}
	defer f.Close()
	return holder(f)
}

// holder reads from the lock who has it.
func holder(f *os.File) *Locked {
	var l Locked
	text := make([]byte, 1<<10)
	n, _ := f.ReadAt(text, 0)
	_ = json.Unmarshal(text[:n], &l)
	return &l
}

// sign writes into the lock who has it.
func sign(f *os.File) error {
	host, _ := os.Hostname()
	text, err := json.Marshal(Locked{PID: os.Getpid(), Host: host, Since: time.Now().UTC().Truncate(time.Second)})
	if err == nil {
		err = f.Truncate(0)
	}
	if err == nil {
		_, err = f.WriteAt(append(text, '\n'), 0)
	}
	return err
}
