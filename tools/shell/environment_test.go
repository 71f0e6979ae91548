package shell

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
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

// TestGitSettings asks git itself which settings and programs it uses.
func TestGitSettings(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git to ask")
	}
	tests := []struct {
		name   string
		env    []string // beside the variables that every command has
		author bool     // the command is the author's
		ask    string
		want   string
	}{
		{"a model's names of files", nil, false, "git config core.quotePath", "false"},
		{"an author's names of files", nil, true, "git config core.quotePath", "false"},
		{"a model's bare repositories", nil, false, "git config safe.bareRepository", "explicit"},
		{"an author's bare repositories", nil, true, "git config safe.bareRepository || echo none", "none"},
		{"what git does beside a model's command", nil, false, "git config gc.auto; git config maintenance.auto", "0\nfalse"},
		{"what else is set", []string{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=user.name", "GIT_CONFIG_VALUE_0=a=b"}, false, "git config user.name; git config gc.auto", "a=b\n0"},
		{"a setting of the workflow's own", []string{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=gc.auto", "GIT_CONFIG_VALUE_0=7"}, false, "git config gc.auto", "7"},
		{"the number of settings is no number", []string{"GIT_CONFIG_COUNT=x"}, false, "git config safe.bareRepository", "explicit"},
		{"a model's pager", []string{"PAGER=less", "GIT_PAGER=less"}, false, "git var GIT_PAGER; echo $PAGER", "cat\ncat"},
		{"a model's editor", []string{"EDITOR=vi", "GIT_EDITOR=vi"}, false, "git var GIT_EDITOR; echo $GIT_SEQUENCE_EDITOR $EDITOR $VISUAL", "true\ntrue false false"},
		{"an author's editor", []string{"GIT_EDITOR=vi"}, true, "git var GIT_EDITOR", "vi"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var names []string
			values := map[string]string{"PATH": os.Getenv("PATH"), "HOME": t.TempDir()}
			for _, variable := range test.env {
				name, value, _ := strings.Cut(variable, "=")
				names, values[name] = append(names, name), value
			}
			env := Environment(names, func(name string) (string, bool) { value, ok := values[name]; return value, ok })
			var out strings.Builder
			if test.author {
				_, err := Run(t.Context(), Command{Script: test.ask, Dir: t.TempDir(), Env: env, Stdout: &out, Stderr: &out})
				if err != nil {
					t.Fatal(err)
				}
			} else {
				out.WriteString(call(t, Bash(BashOptions{Root: t.TempDir(), Env: env}), fmt.Sprintf(`{"command": %q, "description": "x"}`, test.ask)).Content)
			}
			if got := strings.TrimSpace(out.String()); got != test.want {
				t.Errorf("%s\ngot  %q\nwant %q", test.ask, got, test.want)
			}
		})
	}
}
