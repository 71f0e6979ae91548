package paths

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// maxWait bounds how long the reads of a file wait that has nothing to read yet.
const maxWait = 3 * time.Second

var (
	errFolder  = errors.New("it is a folder")
	errSpecial = errors.New("it is not a regular file")
)

// OpenRegular opens a regular file for reading. It never waits for the other end of a pipe, and
// opens no device. A read from a file of the kernel that looks regular and never ends, such as
// /proc/kmsg, fails after a few seconds with [os.ErrDeadlineExceeded].
func OpenRegular(name string) (*os.File, error) { return openRegular(name, os.Stat, os.OpenFile) }

// OpenRegularIn is [OpenRegular] for a file in a folder.
func OpenRegularIn(folder *os.Root, name string) (*os.File, error) {
	return openRegular(name, folder.Stat, folder.OpenFile)
}

func openRegular(name string, stat func(string) (fs.FileInfo, error), open func(string, int, fs.FileMode) (*os.File, error)) (*os.File, error) {
	if err := checkRegular(stat(name)); err != nil { // first, since opening a device may do something
		return nil, &fs.PathError{Op: "open", Path: name, Err: Cause(err)}
	}
	file, err := open(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if err := checkRegular(file.Stat()); err != nil { // another one took its place
		return nil, errors.Join(&fs.PathError{Op: "open", Path: name, Err: Cause(err)}, file.Close())
	}
	_ = file.SetReadDeadline(time.Now().Add(maxWait)) // most files have no deadlines, and no need of one
	return file, nil
}

func checkRegular(info fs.FileInfo, err error) error {
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return errFolder
	case !info.Mode().IsRegular():
		return errSpecial
	}
	return nil
}
