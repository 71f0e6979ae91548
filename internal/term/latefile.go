package term

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sourcegraph/conc"
)

// OpenFile opens a file for writing, and creates it or removes its content. It waits for the reader of a
// pipe until ctx ends, and then returns the cause of that; the blocked open stays behind, and ends with
// the program. The caller closes the file.
func OpenFile(ctx context.Context, name string) (*os.File, error) {
	type opened struct {
		file *os.File
		err  error
	}
	done := make(chan opened, 1)
	var opener conc.WaitGroup
	opener.Go(func() {
		file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		done <- opened{file, err}
	})
	select {
	case o := <-done:
		return o.file, o.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// A LateFile is checked before a run and replaced after it, so that no paid result is lost because
// the file can't be written in the end.
type LateFile struct {
	path   string
	mode   fs.FileMode
	direct *os.File // a pipe or a device, which can't be replaced; nil for other files
}

// OpenLate checks whether a file can be replaced. Pipes and devices are opened, as by [OpenFile].
// The caller closes the file.
func OpenLate(ctx context.Context, name string) (*LateFile, error) {
	info, err := os.Stat(name)
	if err == nil && !info.Mode().IsRegular() {
		file, err := OpenFile(ctx, name)
		return &LateFile{direct: file}, err
	}
	f := &LateFile{path: name, mode: 0o600}
	if err == nil {
		f.mode = info.Mode().Perm()
		f.path, err = filepath.EvalSymlinks(name)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	probe, err := f.create()
	if wrong := new(fs.PathError); errors.As(err, &wrong) {
		wrong.Path = name // and not that of the temporary file
	}
	if err != nil {
		return nil, err
	}
	return f, errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// create creates the temporary file that takes the place of the file.
func (f *LateFile) create() (*os.File, error) {
	return os.CreateTemp(filepath.Dir(f.path), "."+filepath.Base(f.path)+"-")
}

// Replace writes the file atomically, with its permissions: write writes a temporary file, which
// is then renamed. Pipes and devices are written directly.
func (f *LateFile) Replace(write func(io.Writer) error) error {
	if f.direct != nil {
		return write(f.direct)
	}
	whole, err := f.create()
	if err != nil {
		return err
	}
	defer os.Remove(whole.Name())
	err = write(whole)
	if err = errors.Join(err, whole.Chmod(f.mode), whole.Close()); err != nil {
		return err
	}
	return os.Rename(whole.Name(), f.path)
}

// Close closes a pipe or a device.
func (f *LateFile) Close() error {
	if f.direct == nil {
		return nil
	}
	return f.direct.Close()
}
