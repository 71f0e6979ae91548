package relock

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/internal/recipe"
)

// treeOf is a tree of files; those whose text begins with #! are executable.
func treeOf(t *testing.T, files map[string]string) *recipe.Tree {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		mode := os.FileMode(0o644)
		if strings.HasPrefix(text, "#!") {
			mode = 0o755
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := recipe.ReadFolder(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// with are files with some more, of the same text.
func with(files map[string]string, name, text string, many int) map[string]string {
	for i := range many {
		files[fmt.Sprintf(name, i)] = text
	}
	return files
}

// TestWriteFiles has two versions of a recipe, and what an update says of their files.
func TestWriteFiles(t *testing.T) {
	for _, tt := range []struct {
		name     string
		old, now map[string]string
		want     []string // lines that are there
		lines    int
	}{
		{"one of each", map[string]string{"a": "1", "b": "1", "c": "1"}, map[string]string{"b": "2", "c": "1", "d": "1"},
			[]string{"changed: file b (may do more)", "new: file d (may do more)", "removed: file a (may do more)"}, 3},
		{"new files before one that changed", map[string]string{"z.sh": "1"}, with(map[string]string{"z.sh": "2"}, "a%d", "", 40),
			[]string{"changed: file z.sh (may do more)", "new: file a0 (may do more)", "new: file a39 (may do more)"}, 41},
		{"new files before an executable one", map[string]string{}, with(map[string]string{"z.sh": "#!/bin/sh"}, "a%d", "", 40),
			[]string{"new: file z.sh, executable (may do more)", "new: file a39 (may do more)"}, 41},
		{"a file becomes executable", map[string]string{"z": "exit"}, with(map[string]string{"z": "#!/bin/sh"}, "a%d", "", 40),
			[]string{"changed: file z, executable (may do more)"}, 41},
		{"many that changed", with(map[string]string{}, "z%d", "1", 40), with(with(map[string]string{"a": ""}, "z%d", "2", 40), "b%d", "#!", 5),
			[]string{"changed: file z39 (may do more)", "new: file b4, executable (may do more)", "new: file a (may do more)"}, 46},
		{"gone behind new ones", with(map[string]string{}, "z%d", "1", 20), with(map[string]string{}, "a%d", "1", 11),
			[]string{"removed: file z0 (may do more)"}, 31},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("FLOW_RECIPES", t.TempDir())
			cache, err := recipe.CacheOf("")
			if err != nil {
				t.Fatal(err)
			}
			old := treeOf(t, tt.old)
			if _, err := cache.Put(old); err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			(&Update{cache: cache}).writeFiles(&b, []recipe.Locked{{Hash: old.Hash()}}, treeOf(t, tt.now), func(string) bool { return true })
			lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
			for _, want := range tt.want {
				if !strings.Contains(b.String(), "  "+want+"\n") {
					t.Errorf("no %q", want)
				}
			}
			if len(lines) != tt.lines {
				t.Errorf("%d lines, want %d", len(lines), tt.lines)
			}
			if t.Failed() {
				t.Log(b.String())
			}
		})
	}
}
