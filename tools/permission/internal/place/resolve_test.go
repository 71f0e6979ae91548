package place

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/internal/paths"
)

// workspace makes a workspace with a file, a folder, and links.
func workspace(t *testing.T) Roots {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"ws/docs", "out/repo.git/objects", "ws/repo/objects"} {
		if err := os.MkdirAll(filepath.Join(top, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"ws/a.md", "out/x", "ws/repo/HEAD"} {
		if err := os.WriteFile(filepath.Join(top, file), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"in": "docs", "away": "../out", "gone": "docs/none", "round": "round", "kernel": "/proc/self"} {
		if err := os.Symlink(target, filepath.Join(top, "ws", name)); err != nil {
			t.Fatal(err)
		}
	}
	return Roots{Workspace: top + "/ws", WorkspaceGiven: top + "/ws", Home: top + "/out"}
}

// TestResolve: a path leads where the kernel would go, links first and then .. .
func TestResolve(t *testing.T) {
	roots := workspace(t)
	for path, want := range map[string]string{
		"a.md": "a.md", "./docs//b.md": "docs/b.md", "in/b.md": "docs/b.md", "in/../a.md": "a.md", "gone": "docs/none", "docs/../x": "x", ".": ".",
		"away/x": "/out/x", "away/../ws/a.md": "a.md", "../out/x": "/out/x", "~/x": "/out/x",
		"a.md/x": "! a part of it is a file", "none/../x": "! .. follows a part", "round": "! it leads through too many links", "kernel": "! it leads through /proc", "/dev/null": "! it leads through /proc",
		"": "! it is empty", "a\x01": "! it holds a control character", strings.Repeat("a", paths.MaxPath+1): "! it is longer", "~root/x": "! it names another user",
	} {
		at, err := roots.ResolveTilde(roots.Workspace, path)
		got := strings.TrimPrefix(at.Name(), strings.TrimSuffix(roots.Workspace, "/ws"))
		if err != nil {
			got = "! " + err.Error()
		}
		if got != want && !(strings.HasPrefix(want, "!") && strings.HasPrefix(got, want)) {
			t.Errorf("%.40q: %q, want %q", path, got, want)
		}
	}
}

// TestBareRepositories: a HEAD is never written, nor what makes a folder that has one
// a repository, or configures it.
func TestBareRepositories(t *testing.T) {
	roots := workspace(t)
	for path, want := range map[string]bool{
		"HEAD": true, "docs/head": true, "docs/HEAD/x": false, "docs/refs/x": false, "docs/config": false,
		"repo/refs/heads/x": true, "repo/config": true, "repo/Hooks/x": true, "repo/commondir": true, "repo/README": false,
	} {
		if got := roots.MakesBareRepository(filepath.Join(roots.Workspace, path)); got != want {
			t.Errorf("%s: %t, want %t", path, got, want)
		}
	}
}
