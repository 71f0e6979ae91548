package repository

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRepository looks from the folder tree/deep of each case. The git directories and the
// reason are from the folder of the case.
func TestRepository(t *testing.T) {
	const core = "[core]\n\tbare = false\n"
	tests := []struct {
		name             string
		files            map[string]string // "-> x" is a link
		top, git, common string
		reason           string
	}{
		{"none", map[string]string{"tree/deep/a": ""}, "", "", "", ""},
		{"a folder", map[string]string{"tree/.git/HEAD": ""}, "tree", "tree/.git", "", ""},
		{"a folder in which git is not", map[string]string{"tree/.git/x": "", ".git/HEAD": ""}, ".", ".git", "", ""},
		{"a file that names nothing", map[string]string{"tree/.git": "x"}, "", "", "", ""},
		{"inside a git directory", map[string]string{"tree/HEAD": "", "tree/refs/x": "", "tree/objects/x": "", ".git/HEAD": ""}, "", "", "", ""},
		{"a linked working tree", map[string]string{
			"tree/.git": "gitdir: ../main/.git/worktrees/w\n", "main/.git/HEAD": "", "main/.git/worktrees/w/HEAD": "",
			"main/.git/worktrees/w/commondir": "../..\n", "main/.git/worktrees/w/gitdir": "$/tree/.git\n",
		}, "tree", "main/.git/worktrees/w", "main/.git", ""},
		{"a linked working tree of relative paths", map[string]string{
			"tree/.git": "gitdir: ../main/.git/worktrees/w\n", "main/.git/HEAD": "", "main/.git/worktrees/w/HEAD": "",
			"main/.git/worktrees/w/commondir": "../..\n", "main/.git/worktrees/w/gitdir": "../../../../tree/.git\n",
		}, "tree", "main/.git/worktrees/w", "main/.git", ""},
		{"another's linked working tree", map[string]string{
			"tree/.git": "gitdir: ../main/.git/worktrees/w\n", "main/.git/HEAD": "", "main/.git/worktrees/w/HEAD": "",
			"main/.git/worktrees/w/commondir": "../..\n", "main/.git/worktrees/w/gitdir": "$/other/.git\n", "other/.git": "",
		}, "tree", "main/.git/worktrees/w", "main/.git", "has no working tree in"},
		{"a git directory of a model's own, with the objects of another", map[string]string{
			"tree/.git": "gitdir: fake\n", "tree/fake/HEAD": "", "tree/fake/commondir": "../../main/.git", "tree/fake/gitdir": "$/tree/.git", "main/.git/HEAD": "",
		}, "tree", "tree/fake", "main/.git", "has no working tree in"},
		{"a folder with the objects of another", map[string]string{
			"tree/.git/HEAD": "", "tree/.git/commondir": "../../main/.git", "tree/.git/gitdir": "$/tree/.git", "main/.git/HEAD": "",
		}, "tree", "tree/.git", "main/.git", "has no working tree in"},
		{"a submodule", map[string]string{
			"tree/.git": "gitdir: ../.git/modules/tree\n", ".git/modules/tree/HEAD": "", ".git/modules/tree/config": core + "\tworktree = ../../../tree\n",
		}, "tree", ".git/modules/tree", "", ""},
		{"another's submodule", map[string]string{
			"tree/.git": "gitdir: ../.git/modules/other\n", ".git/modules/other/HEAD": "", ".git/modules/other/config": core + "\tworktree = ../../../other\n", "other/x": "",
		}, "tree", ".git/modules/other", "", "belongs to the working tree"},
		{"a separate git directory", map[string]string{"tree/.git": "gitdir: ../elsewhere.git\n", "elsewhere.git/HEAD": "", "elsewhere.git/config": core}, "tree", "elsewhere.git", "", ""},
		{"a bare repository", map[string]string{"tree/.git": "gitdir: ../elsewhere.git\n", "elsewhere.git/HEAD": "", "elsewhere.git/config": "[core]\n\tbare = true\n"}, "tree", "elsewhere.git", "", "does not say that it belongs to"},
		{"the repository of another working tree", map[string]string{"tree/.git": "gitdir: ../main/.git\n", "main/.git/HEAD": "", "main/.git/config": core}, "tree", "main/.git", "", "does not say that it belongs to"},
		{"a link to the repository of another working tree", map[string]string{"tree/.git": "-> ../main/.git", "main/.git/HEAD": "", "main/.git/config": core}, "tree", "main/.git", "", "does not say that it belongs to"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			base, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			for name, text := range test.files {
				write(t, filepath.Join(base, name), strings.ReplaceAll(text, "$", base))
			}
			deep := filepath.Join(base, "tree", "deep")
			if err := os.MkdirAll(deep, 0o755); err != nil {
				t.Fatal(err)
			}
			want := Repository{}
			if test.top != "" {
				want = Repository{filepath.Join(base, test.top), filepath.Join(base, test.git), filepath.Join(base, test.git)}
			}
			if test.common != "" {
				want.Common = filepath.Join(base, test.common)
			}
			got, ok := Around(deep)
			if got != want || ok != (test.top != "") {
				t.Fatalf("got %+v, want %+v", got, want)
			}
			if !ok {
				return
			}
			if err := got.Check(); (err == nil) != (test.reason == "") || err != nil && !strings.Contains(err.Error(), test.reason) {
				t.Errorf("got %v, want %q", err, test.reason)
			}
		})
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if link, is := strings.CutPrefix(text, "-> "); is && err == nil {
		err = os.Symlink(link, path)
	} else if err == nil {
		err = os.WriteFile(path, []byte(text), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}
