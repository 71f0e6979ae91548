package paths

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestOpenRegular: a pipe without a writer, a device and a folder are refused at once, by whatever
// name, and so they are in a folder.
func TestOpenRegular(t *testing.T) {
	dir := tree(t, "file", "to_file->file", "to_pipe->pipe", "folder/", "to_device->/dev/zero")
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Skip("there are no pipes here:", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for name, want := range map[string]error{
		"file": nil, "to_file": nil, "pipe": errSpecial, "to_pipe": errSpecial, "folder": errFolder, "missing": fs.ErrNotExist,
	} {
		path := filepath.Join(dir, name)
		file, err := OpenRegular(path)
		if !errors.Is(err, want) || (file == nil) == (want == nil) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
		if at := new(fs.PathError); err != nil && (!errors.As(err, &at) || at.Path != path) {
			t.Errorf("%s: the error does not name it: %v", name, err)
		}
		file, err = OpenRegularIn(root, name)
		if !errors.Is(err, want) || (file == nil) == (want == nil) {
			t.Errorf("%s in the folder: %v, want %v", name, err, want)
		}
	}
	if _, err := OpenRegular(filepath.Join(dir, "to_device")); !errors.Is(err, errSpecial) {
		t.Errorf("a device: %v", err)
	}
}

// TestOpenEndless reads the log of the kernel, which looks like a regular file and never ends.
func TestOpenEndless(t *testing.T) {
	file, err := OpenRegular("/proc/kmsg")
	if err != nil {
		t.Skip("there is no log of the kernel to be read:", err)
	}
	defer file.Close()
	if _, err := io.Copy(io.Discard, file); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%v, want %v", err, os.ErrDeadlineExceeded)
	}
}
