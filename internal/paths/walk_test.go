package paths

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tree makes a folder with files, and links that end in "->TARGET".
func tree(t *testing.T, names ...string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		name, target, isLink := strings.Cut(name, "->")
		path := filepath.Join(root, name)
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		switch {
		case err != nil:
		case isLink:
			err = os.Symlink(strings.ReplaceAll(target, "ROOT", root), path)
		case strings.HasSuffix(name, "/"):
			err = os.MkdirAll(path, 0o755)
		default:
			err = os.WriteFile(path, nil, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// A walk ends where the kernel would: links are followed before "..", and what is not there
// has no way back.
func TestWalk(t *testing.T) {
	root := tree(t, "a/b/file", "deep/er/x", "to_er->deep/er", "to_abs->ROOT/a", "to_to->to_abs", "round->round", "gone->nowhere/at/all")
	for _, tt := range []struct {
		path, want string
		exists     bool
		passed     []string
		err        error
	}{
		{"a/b/file", "a/b/file", true, nil, nil},
		{"a//./b/", "a/b", true, nil, nil},
		{"a/b/../b/file", "a/b/file", true, []string{"a/b"}, nil},
		{"to_er/x", "deep/er/x", true, []string{"to_er"}, nil},
		{"to_er/../er", "deep/er", true, []string{"to_er", "deep/er"}, nil},
		{"to_to/b/file", "a/b/file", true, []string{"to_to", "to_abs"}, nil},
		{"a/new/file", "a/new/file", false, nil, nil},
		{"gone", "nowhere/at/all", false, []string{"gone"}, nil},
		{"a/new/../b", "", false, nil, errUpAbsent},
		{"a/b/file/x", "", false, nil, errNotDir},
		{"a/b/file/..", "", false, nil, errNotDir},
		{"round", "", false, nil, ErrLinks},
	} {
		t.Run(tt.path, func(t *testing.T) {
			w := Walk{At: "/", Todo: strings.TrimPrefix(root, "/") + "/" + tt.path}
			err := w.Run()
			if !errors.Is(err, tt.err) {
				t.Errorf("%v, want %v", err, tt.err)
			}
			if err != nil {
				return
			}
			if want := filepath.Join(root, tt.want); w.At != want || (w.Info != nil) != tt.exists {
				t.Errorf("it leads to %s (exists: %v), want %s", w.At, w.Info != nil, want)
			}
			var passed []string
			for _, path := range w.Passed {
				passed = append(passed, strings.TrimPrefix(path, root+"/"))
			}
			if diff := cmp.Diff(tt.passed, passed); diff != "" {
				t.Errorf("passed (-want +got):\n%s", diff)
			}
		})
	}
}

// Whoever watches a walk sees each path on the way, and can end it.
func TestWalkStops(t *testing.T) {
	root := tree(t, "a/b/file", "link->a")
	halt := errors.New("not there")
	var seen []string
	w := Walk{At: root, Todo: "link/b/file", Stop: func(at string) error {
		if seen = append(seen, strings.TrimPrefix(at, root)); strings.HasSuffix(at, "/b") {
			return halt
		}
		return nil
	}}
	if err := w.Run(); err != halt {
		t.Errorf("%v, want %v", err, halt)
	}
	if diff := cmp.Diff([]string{"", "", "/a", "/a/b"}, seen); diff != "" {
		t.Errorf("seen (-want +got):\n%s", diff)
	}
}

func TestSame(t *testing.T) {
	root := tree(t, "file", "other", "link->file")
	t.Chdir(root)
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"file", filepath.Join(root, "file"), true},
		{"file", "link", true},
		{"file", "other", false},
		{"new", "./x/../new", true},
		{"new", "newer", false},
		{"file", "new", false},
	} {
		if got := Same(tt.a, tt.b); got != tt.want {
			t.Errorf("%s and %s: %v", tt.a, tt.b, got)
		}
	}
}

func TestFromHere(t *testing.T) {
	root := tree(t, "a/b/")
	t.Chdir(filepath.Join(root, "a"))
	for path, want := range map[string]string{"a/b": "b", "a": ".", "": root, "a.yaml": filepath.Join(root, "a.yaml")} {
		if got := FromHere(filepath.Join(root, path)); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

// A repository is the nearest folder with .git, which may be a file.
func TestRepository(t *testing.T) {
	root := tree(t, "r/.git/", "r/in/.git", "r/in/deep/", "r/side/")
	for path, want := range map[string]string{"r": "r", "r/side": "r", "r/in/deep": "r/in", "r/absent/x": "r"} {
		if got := Repository(filepath.Join(root, path)); got != filepath.Join(root, want) {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}
