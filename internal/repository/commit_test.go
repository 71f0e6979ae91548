package repository

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	one = "0123456789abcdef0123456789abcdef01234567"
	two = "89abcdef0123456789abcdef0123456789abcdef"
)

func TestOf(t *testing.T) {
	tests := map[string]struct {
		files map[string]string
		want  string
	}{
		"none":      {map[string]string{"a/b": ""}, ""},
		"detached":  {map[string]string{".git/HEAD": one + "\n"}, one},
		"branch":    {map[string]string{".git/HEAD": "ref: refs/heads/main\n", ".git/refs/heads/main": two + "\n"}, two},
		"packed":    {map[string]string{".git/HEAD": "ref: refs/heads/main\n", ".git/packed-refs": "# pack\n" + one + " refs/heads/other\n" + two + " refs/heads/main\n"}, two},
		"unborn":    {map[string]string{".git/HEAD": "ref: refs/heads/main\n"}, ""},
		"worktree":  {map[string]string{".git": "gitdir: there/wt\n", "there/wt/HEAD": "ref: refs/heads/x\n", "there/wt/commondir": "..\n", "there/refs/heads/x": one + "\n"}, one},
		"outside":   {map[string]string{".git/HEAD": "ref: refs/../../secret\n", "secret": one}, ""},
		"no hash":   {map[string]string{".git/HEAD": "ref: refs/heads/main\n", ".git/refs/heads/main": "password\n"}, ""},
		"long":      {map[string]string{".git/HEAD": strings.Repeat("a", 1<<20)}, ""},
		"no gitdir": {map[string]string{".git": "x\n"}, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range test.files {
				at := filepath.Join(dir, file)
				if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			inside := filepath.Join(dir, "deep", "er")
			if err := os.MkdirAll(inside, 0o755); err != nil {
				t.Fatal(err)
			}
			if got := Commit(inside); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
