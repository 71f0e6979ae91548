package suite

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWorkspace copies folders: files with their permission to be run, symlinks that
// stay inside, and nothing of those that do not.
func TestWorkspace(t *testing.T) {
	from := t.TempDir()
	write := func(name, content string, mode os.FileMode) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(from, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(from, name), []byte(content), mode); err != nil {
			t.Fatal(err)
		}
	}
	write("a/run.sh", "echo", 0o755)
	write(".flow/runs/x/run.json", "{}", 0o600)
	if err := os.Symlink("a/run.sh", filepath.Join(from, "inside")); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "workspace")
	if err := makeWorkspace(to, from, nil); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(to, "inside")); err != nil || info.Mode().Perm()&0o100 == 0 {
		t.Errorf("inside: %v, %v", info, err)
	}
	if _, err := os.Stat(filepath.Join(to, ".flow")); err == nil {
		t.Error("what flow has kept of runs is copied")
	}
	for _, target := range []string{"/etc/passwd", "../secret", "a/../../secret"} {
		link := filepath.Join(from, "link")
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
		err := makeWorkspace(filepath.Join(t.TempDir(), "w"), from, nil)
		if err == nil || !strings.Contains(err.Error(), "leads out of the folder") {
			t.Errorf("a symlink to %s: %v", target, err)
		}
		if err := os.Remove(link); err != nil {
			t.Fatal(err)
		}
	}
}

// TestWorkspaceContents writes files by name, and none through what another one is.
func TestWorkspaceContents(t *testing.T) {
	to := filepath.Join(t.TempDir(), "workspace")
	if err := makeWorkspace(to, "", map[string]string{"a/b.md": "x", "c": ""}); err != nil {
		t.Fatal(err)
	}
	if text, err := readSeen(to, "a/b.md"); text != "x" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if err := os.Symlink("/etc", filepath.Join(to, "out")); err != nil {
		t.Fatal(err)
	}
	if text, err := readSeen(to, "out/passwd"); err == nil {
		t.Errorf("a file outside was read: %.20q", text)
	}
}

// TestWorkspaceThatIsTooLarge: the limit is on all files together, and what just fits is copied.
func TestWorkspaceThatIsTooLarge(t *testing.T) {
	for size, want := range map[int64]string{maxBytes - 2: "", maxBytes - 1: "the files exceed 512 MiB"} {
		from := t.TempDir()
		if err := os.WriteFile(filepath.Join(from, "two"), []byte("ab"), 0o600); err != nil {
			t.Fatal(err)
		}
		root, err := os.OpenRoot(from)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		entries, err := fs.ReadDir(root.FS(), ".")
		if err != nil {
			t.Fatal(err)
		}
		if err := checkEntry(root.FS(), "two", entries[0], &size); want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("%d bytes: got %v, want %q", size, err, want)
		}
	}
}
