package files

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/tools"
)

type writeArguments struct {
	FilePath string `json:"filePath"`
	Content  string `json:"content"`
}

func (w *Workspace) write(ctx context.Context, a writeArguments, out *tools.Output) (tools.Result, error) {
	real, err := w.locate(a.FilePath, writing)
	if err != nil {
		return tools.Fail(err)
	}
	if strings.HasSuffix(a.FilePath, "/") {
		return tools.Fail(fmt.Errorf("%q names a folder", a.FilePath))
	}
	replaced, err := w.replace(ctx, real, a.Content, nil)
	if ctx.Err() != nil && err != nil {
		return tools.Result{}, err
	}
	if err != nil {
		return tools.Fail(fmt.Errorf("%q was not written: %w", a.FilePath, paths.Cause(err)))
	}
	verb := "Created"
	if replaced {
		verb = "Replaced"
	}
	_, err = fmt.Fprintf(out, "%s %s: %s, %s.\n", verb, w.shown(real), quantity.Count(lines(a.Content), "line"), quantity.Count(len(a.Content), "byte"))
	return tools.Result{}, err
}

// lines counts lines; the last one need not have a newline.
func lines(s string) int {
	n := strings.Count(s, "\n")
	if s != "" && !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}

var errChanged = errors.New("it was changed by somebody else in the meantime")

// replace creates or replaces a regular file atomically, by a temporary file in the same
// folder and a rename. If old is not nil, the file must not have changed since old. It
// reports whether there was a file.
func (w *Workspace) replace(ctx context.Context, real, content string, old fs.FileInfo) (replaced bool, err error) {
	folder, err := w.folder(filepath.Dir(real), old == nil)
	if err != nil {
		return false, err
	}
	defer folder.Close()
	name := filepath.Base(real)
	before, err := folder.Lstat(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	if err == nil {
		replaced = true
		if err := regular(before); err != nil {
			return false, err
		}
	}
	temporary, err := writeBeside(folder, before, content)
	if err != nil {
		return false, err
	}
	if err = ctx.Err(); err == nil {
		err = renameOver(folder, temporary, name, old)
	}
	if err != nil {
		return false, errors.Join(err, remove(folder, temporary))
	}
	return replaced, nil
}

func renameOver(folder *os.Root, temporary, name string, old fs.FileInfo) error {
	if old != nil {
		now, err := folder.Lstat(name)
		if err != nil || !os.SameFile(old, now) || !now.ModTime().Equal(old.ModTime()) || now.Size() != old.Size() {
			return errChanged
		}
	}
	return folder.Rename(temporary, name)
}

// remove removes a temporary file, if it still exists.
func remove(folder *os.Root, name string) error {
	if err := folder.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// writeBeside writes content to a new file, with the permissions of the file that it is to
// replace, if there is one, and returns its name. It leaves nothing after an error.
func writeBeside(folder *os.Root, before fs.FileInfo, content string) (name string, err error) {
	name = ".flow-" + rand.Text() + ".tmp"
	mode := fs.FileMode(0o666) // less the umask
	if before != nil {
		mode = 0o600 // until it has the right one
	}
	f, err := folder.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return "", err
	}
	_, err = io.WriteString(f, content)
	if err == nil && before != nil {
		err = f.Chmod(before.Mode().Perm())
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return "", errors.Join(err, remove(folder, name))
	}
	return name, nil
}
