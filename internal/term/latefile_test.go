package term_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/term"
)

// What was in the file stays there until something is written, and nothing of it after
// that, however short that is.
func TestLateFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report.xml")
	if err := os.WriteFile(path, []byte("an older and longer report"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		writes []string
		want   string
	}{
		{nil, "an older and longer report"}, {[]string{"a", "b"}, "ab"}, {nil, "ab"},
	} {
		file, err := term.OpenLate(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range test.writes {
			if _, err := io.WriteString(file, text); err != nil { // as writers of XML do
				t.Fatal(err)
			}
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); string(got) != test.want || err != nil {
			t.Errorf("after %q: %q, %v; want %q", test.writes, got, err, test.want)
		}
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
	if _, err := file.Write([]byte("x")); err != nil {
		t.Errorf("a pipe has nothing to truncate: %v", err)
	}
	if err := file.Close(); err != nil {
		t.Error(err)
	}
}
