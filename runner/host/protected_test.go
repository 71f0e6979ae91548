package host

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestProtectedByCaller: files that the caller names are protected by where they are, also
// where they are named from the current folder, through a link, or not there yet.
func TestProtectedByCaller(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	if err := os.Mkdir("real", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real", "link"); err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Join(dir, "real", "report.xml"), filepath.Join(dir, "new.jsonl")}
	if got := regularFiles([]string{"link/report.xml", os.DevNull, "new.jsonl", "real"}); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
