package term_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/term"
)

// A file is replaced whole, or not at all; its permissions stay, and a symlink leads to it
// as before.
func TestLateFileIsReplaced(t *testing.T) {
	folder := t.TempDir()
	path, link := filepath.Join(folder, "report.xml"), filepath.Join(folder, "link")
	if err := errors.Join(os.WriteFile(path, []byte("an older report"), 0o640), os.Symlink("report.xml", link)); err != nil {
		t.Fatal(err)
	}
	broke := errors.New("broke")
	for _, test := range []struct {
		name, text string
		err        error
		want       string
	}{
		{path, "half of", broke, "an older report"}, {path, "new", nil, "new"}, {link, "half of", broke, "new"}, {link, "newer", nil, "newer"},
	} {
		file, err := term.OpenLate(t.Context(), test.name)
		if err != nil {
			t.Fatal(err)
		}
		err = file.Replace(func(w io.Writer) error {
			_, err := io.WriteString(w, test.text)
			return errors.Join(err, test.err)
		})
		if !errors.Is(err, test.err) || file.Close() != nil {
			t.Errorf("%s: %v, want %v", test.name, err, test.err)
		}
		got, err := os.ReadFile(path)
		if info, failed := os.Lstat(path); string(got) != test.want || err != nil || failed != nil || info.Mode() != 0o640 {
			t.Errorf("after %q: %q, %v, %v; want %q", test.text, got, err, info.Mode(), test.want)
		}
	}
	entries, err := os.ReadDir(folder)
	if info, failed := os.Lstat(link); err != nil || failed != nil || len(entries) != 2 || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("%v beside the report; %v", entries, errors.Join(err, failed))
	}
}

// A file that was not there is there once it is written, and not before.
func TestLateFileThatIsNew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report.xml")
	file, err := term.OpenLate(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) > 0 {
		t.Errorf("before anything is written: %v, %v", entries, err)
	}
	err = file.Replace(func(w io.Writer) error { _, err := io.WriteString(w, "text"); return err })
	if err = errors.Join(err, file.Close()); err != nil {
		t.Error(err)
	}
	if got, err := os.ReadFile(path); string(got) != "text" || err != nil {
		t.Errorf("written: %q, %v", got, err)
	}
	if _, err := term.OpenLate(t.Context(), filepath.Join(t.TempDir(), "none", "x")); !errors.Is(err, os.ErrNotExist) || !strings.HasSuffix(err.Error(), "/none/x: no such file or directory") {
		t.Errorf("in a folder that does not exist: %v", err)
	}
	if _, err := term.OpenLate(t.Context(), filepath.Join(path, "x")); !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("below a file: %v", err)
	}
}

// A pipe without a reader is waited for as long as the context lasts, and no longer.
func TestLateFileOfAPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	over := errors.New("over")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(10*time.Millisecond, func() { cancel(over) })
	if _, err := term.OpenLate(ctx, path); !errors.Is(err, over) {
		t.Errorf("without a reader: %v", err)
	}
	reader, err := os.OpenFile(path, os.O_RDWR, 0) // and the open that was left behind ends
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	file, err := term.OpenLate(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := file.Replace(func(w io.Writer) error { _, err := w.Write([]byte("x")); return err }); err != nil {
		t.Errorf("a pipe has nothing to truncate, and is not replaced: %v", err)
	}
	if err := file.Close(); err != nil {
		t.Error(err)
	}
}
