package term

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/sourcegraph/conc"
)

// A LateFile is opened before a run and written after it, so that no paid result is lost because
// the file can't be opened in the end. The first write creates the file, or removes its old
// content.
type LateFile struct {
	file  *os.File // not embedded: all that writes has to go by Write; nil until the first write of one that was not there
	path  string   // of that one
	began bool
}

// OpenLate opens a file. It waits for the reader of a pipe until ctx ends, and then returns the
// cause of that; the blocked open stays behind, and ends with the program. The caller closes the
// file.
func OpenLate(ctx context.Context, name string) (*LateFile, error) {
	type opened struct {
		file *LateFile
		err  error
	}
	done := make(chan opened, 1)
	var opener conc.WaitGroup
	opener.Go(func() {
		file, err := open(name)
		done <- opened{file, err}
	})
	select {
	case o := <-done:
		return o.file, o.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// open opens a file. A missing one is created as a test, and removed.
func open(name string) (*LateFile, error) {
	file, err := os.OpenFile(name, os.O_WRONLY, 0)
	if !errors.Is(err, os.ErrNotExist) {
		return &LateFile{file: file}, err
	}
	if file, err = create(name); err != nil {
		return nil, err
	}
	path, err := filepath.EvalSymlinks(name)
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Remove(path)
	}
	return &LateFile{path: path}, err
}

func create(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o600)
}

// Write writes to the file, which the first write truncates. Pipes and devices can't be.
func (f *LateFile) Write(p []byte) (int, error) {
	if f.file == nil {
		file, err := create(f.path)
		if err != nil {
			return 0, err
		}
		f.file = file
	}
	if !f.began {
		f.began = true
		if err := f.file.Truncate(0); err != nil && !errors.Is(err, syscall.EINVAL) {
			return 0, err
		}
	}
	return f.file.Write(p)
}

// Replace writes the file atomically, with its permissions: write writes a temporary file, which
// is then renamed. Pipes, devices, and a file in a folder that can't be written are written directly.
func (f *LateFile) Replace(write func(io.Writer) error) error {
	path, mode := f.path, fs.FileMode(0o600)
	if f.file != nil {
		was, err := f.file.Stat()
		if err != nil || !was.Mode().IsRegular() {
			return write(f)
		}
		if path, err = filepath.EvalSymlinks(f.file.Name()); err != nil {
			return err
		}
		mode = was.Mode().Perm()
	}
	whole, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-")
	if err != nil {
		return write(f)
	}
	defer os.Remove(whole.Name())
	err = write(whole)
	if err = errors.Join(err, whole.Chmod(mode), whole.Close()); err != nil {
		return err
	}
	return os.Rename(whole.Name(), path)
}

// Close closes the file.
func (f *LateFile) Close() error {
	if f.file == nil {
		return nil
	}
	return f.file.Close()
}
