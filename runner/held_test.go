package runner

import (
	"os"
	"path/filepath"
	"testing"
)

// TestHeldFolders moves a folder away that is held: what is written after it was
// let go of is in a new one.
func TestHeldFolders(t *testing.T) {
	dir := t.TempDir()
	top, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer top.Close()
	h := &heldFolders{top: top}
	write := func(text string) {
		t.Helper()
		at, err := h.at("steps/a/0")
		if err != nil {
			t.Fatal(err)
		}
		if err := at.WriteFile("f", []byte(text), privateFile); err != nil {
			t.Fatal(err)
		}
	}
	write("one")
	write("two")
	if err := os.Rename(filepath.Join(dir, "steps/a/0"), filepath.Join(dir, "aside")); err != nil {
		t.Fatal(err)
	}
	h.letGoOfAll("steps/a")
	write("three")
	for name, want := range map[string]string{"aside/f": "two", "steps/a/0/f": "three"} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v; want %q", name, got, err, want)
		}
	}
	for _, c := range []struct {
		letGo func(string)
		dir   string
		left  int
	}{{h.letGo, "steps/a/0", 2}, {h.letGo, "steps/b", 2}, {h.letGoOfAll, "steps", 0}} {
		if c.letGo(c.dir); len(h.open) != c.left {
			t.Errorf("%d are held after %s was let go of, want %d", len(h.open), c.dir, c.left)
		}
	}
}

// A file in the way is an error, and so is a folder that is closed.
func TestHeldFoldersFail(t *testing.T) {
	dir := t.TempDir()
	top, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := top.WriteFile("file", nil, privateFile); err != nil {
		t.Fatal(err)
	}
	h := &heldFolders{top: top}
	if _, err := h.at("file/a"); err == nil {
		t.Error("a file was entered")
	}
	top.Close()
	if _, err := h.at("a"); err == nil {
		t.Error("a closed folder was entered")
	}
}
