package shell

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/tools/permission"
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

// TestBashSpeaksUTF8: in a locale such as GBK, bash takes the end of a letter and
// the quote behind it for one character, so a model's command never has one, even
// where the workflow names the variable.
func TestBashSpeaksUTF8(t *testing.T) {
	tool := Bash(BashOptions{Root: t.TempDir(), Env: []string{"PATH=/usr/bin:/bin", "LC_ALL=zh_CN.GBK", "LANG=ja_JP.SJIS", "LC_CTYPE=zh_TW.Big5"}})
	if got := call(t, tool, `{"command": "echo $LC_ALL $LANG $LC_CTYPE", "description": "x"}`); got.Content != "C.UTF-8 C.UTF-8\n" {
		t.Errorf("got %q", got.Content)
	}
}

// TestBashIsBash: another shell reads commands in another way than they were judged.
func TestBashIsBash(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink("/bin/sh", filepath.Join(dir, "sh")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	got := call(t, Bash(BashOptions{Root: t.TempDir(), Env: []string{"PATH=" + dir}}), `{"command": "echo ran", "description": "x"}`)
	if !strings.Contains(got.Content, "there is no bash on this machine") || strings.Contains(got.Content, "ran") {
		t.Errorf("got %q", got.Content)
	}
}

// TestBashRunsTheScript: what was judged runs, and not what was written.
func TestBashRunsTheScript(t *testing.T) {
	read := func(command, _ string) (permission.Reading, error) {
		if command == "bad" {
			return permission.Reading{}, errors.New("not judged")
		}
		return permission.Reading{Script: "echo 'judged'"}, nil
	}
	tool := Bash(BashOptions{Root: t.TempDir(), Env: []string{"PATH=/usr/bin:/bin"}, Read: read})
	if got := call(t, tool, `{"command": "echo written", "description": "x"}`); got.Content != "judged\n" {
		t.Errorf("got %q", got.Content)
	}
	if got := call(t, tool, `{"command": "bad", "description": "x"}`); !strings.Contains(got.Content, "not judged") {
		t.Errorf("got %q", got.Content)
	}
}
