package shell

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestBashSearchesNoFolderOfItsOwn: what PATH says of the folder that a command
// runs in is no place for programs.
func TestBashSearchesNoFolderOfItsOwn(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"planted", "bin/planted"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\necho found\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]bool{".": false, "": false, ":": false, "bin": false, "../" + filepath.Base(dir): false, filepath.Join(dir, "bin"): true} {
		tool := Bash(BashOptions{Root: dir, Env: []string{"PATH=" + path + ":/usr/bin:/bin"}})
		answer := call(t, tool, `{"command": "planted", "description": "x"}`)
		if strings.HasPrefix(answer.Content, "found") != want {
			t.Errorf("PATH=%s: %s", path, answer.Content)
		}
	}
}
