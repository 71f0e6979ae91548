package journal

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestRemove(t *testing.T) {
	j, dir := begin(t, Options{})
	runs, outside := filepath.Dir(dir), t.TempDir()
	for _, made := range []error{
		os.Mkdir(filepath.Join(runs, "other"), 0o700), os.WriteFile(filepath.Join(runs, "file"), nil, 0o600),
		os.Symlink(outside, filepath.Join(runs, "link")), os.Symlink(outside, filepath.Join(dir, "out")),
		os.WriteFile(filepath.Join(outside, File), []byte("x\n"), 0o600),
	} {
		if made != nil {
			t.Fatal(made)
		}
	}
	for _, name := range []string{"", ".", "..", "1/..", "../runs/1", dir} {
		if err := Remove(runs, name); err == nil {
			t.Errorf("%q was removed", name)
		}
	}
	for _, name := range []string{"other", "file", "link", "none"} {
		if err := Remove(runs, name); !errors.Is(err, ErrNoRun) {
			t.Errorf("%q: got %v", name, err)
		}
	}
	var locked *Locked
	if err := Remove(runs, "1"); !errors.As(err, &locked) {
		t.Errorf("a run that goes on: %v", err)
	}
	shut(t, j)
	if err := Remove(runs, "1"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(dir); !os.IsNotExist(err) {
		t.Errorf("it is still there: %v", err)
	}
	if _, err := os.Stat(filepath.Join(outside, File)); err != nil {
		t.Errorf("what a symlink leads to was removed: %v", err)
	}
}
