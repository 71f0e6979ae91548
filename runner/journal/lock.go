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

// acquire locks the journal in a folder, and writes into the file lock who works there. The lock is
// released when the journal is closed, also by the death of the process.
func acquire(root *os.Root, journal *os.File) error {
	err := lock(journal)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return holder(root)
	}
	if err != nil {
		return err
	}
	return sign(root)
}

// lock tries it a hundred times, since a process that is killed while it starts another one leaves
// its locks to that until it executes its program; and [Reader.Busy] takes one for an instant. It
// is tries that are counted, since all time may pass between two of them.
func lock(f *os.File) (err error) {
	for range 100 {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EWOULDBLOCK) {
			return err
		}
		time.Sleep(5 * time.Millisecond)
	}
	return err
}

// Busy reports whether a process works in the run.
func (r *Reader) Busy() bool {
	f, err := openRegular(r.root, File, os.O_RDONLY) // closing it releases the lock that it may get
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
	return holder(r.root)
}

// holder reads who has the lock of a folder.
func holder(root *os.Root) *Locked {
	var l Locked
	if f, err := openRegular(root, lockFile, os.O_RDONLY); err == nil {
		defer f.Close()
		text := make([]byte, 1<<10)
		n, _ := f.ReadAt(text, 0)
		_ = json.Unmarshal(text[:n], &l)
	}
	return &l
}

// sign writes who has the lock of a folder.
func sign(root *os.Root) error {
	host, _ := os.Hostname()
	text, err := json.Marshal(Locked{PID: os.Getpid(), Host: host, Since: time.Now().UTC().Truncate(time.Second)})
	if err != nil {
		return err
	}
	f, err := openRegular(root, lockFile, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	return errors.Join(err, f.Close())
}
