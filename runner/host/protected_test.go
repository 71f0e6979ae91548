package host

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/a-seed-11b9befa/flow/internal/paths"
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

// TestProtectedRecipes: beside the workflow, what pins its recipes and what they were fetched
// into is protected, before it is there and also where it is elsewhere.
func TestProtectedRecipes(t *testing.T) {
	w, dir := loaded(t)
	lock, vendor := filepath.Join(dir, lockFile), filepath.Join(dir, paths.VendorFolder)
	elsewhere, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, vendor); err != nil {
		t.Fatal(err)
	}
	all := w.protectedFilesOf(Options{}).protected
	for _, path := range []string{w.Workflow.File, lock, vendor, elsewhere} {
		if !slices.Contains(all, path) {
			t.Errorf("%s is not protected: %q", path, all)
		}
	}
}

// TestWorkflowsIn: scripts of models and tests of workflows are none, whatever they have in them.
func TestWorkflowsIn(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.yaml", "b.YAML", "c.yml", "d.test.yaml", "e.script.yml", "f.txt"} {
		write(t, filepath.Join(dir, name), "name: x\nsteps: []\n")
	}
	write(t, filepath.Join(dir, "g.yaml"), "name: no steps\n")
	got, err := WorkflowsIn(dir)
	if want := []string{filepath.Join(dir, "a.yaml"), filepath.Join(dir, "c.yml")}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}
