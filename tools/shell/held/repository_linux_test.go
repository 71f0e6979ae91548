package held

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A site is where a workspace is in a git repository.
type site struct {
	name  string
	setup string // makes the repository; the current folder is an empty one
	work  string // the workspace, from there
	top   string // of the working tree, from there
}

func sites() []site {
	const files = "mkdir -p sub other; echo 1 > sub/a; echo 1 > other/b; echo 1 > c; git add .; git commit -qm one; "
	const main = "git init -qb main repo; cd repo; " + files
	return []site{
		{"the whole working tree", main, "repo", "repo"},
		{"a subfolder", main, "repo/sub", "repo"},
		{"a linked working tree", main + "git worktree add -q ../wt", "wt", "wt"},
		{"a subfolder of a linked working tree", main + "git worktree add -q ../wt", "wt/sub", "wt"},
		{"a linked working tree in the first one", main + "git worktree add -q more/wt", "repo/more/wt", "repo/more/wt"},
		{"a submodule", main + "cd ..; git init -qb main super; cd super; git -c protocol.file.allow=always submodule -q add ../repo mod; git commit -qm super", "super/mod", "super/mod"},
		{"a subfolder of a submodule", main + "cd ..; git init -qb main super; cd super; git -c protocol.file.allow=always submodule -q add ../repo mod; git commit -qm super", "super/mod/sub", "super/mod"},
		{"a separate git directory", "git init -qb main --separate-git-dir=elsewhere.git repo; cd repo; " + files, "repo", "repo"},
		{"a subfolder of one with a separate git directory", "git init -qb main --separate-git-dir=elsewhere.git repo; cd repo; " + files, "repo/sub", "repo"},
	}
}

// newSite makes the repository, and a space for the workspace in it.
func newSite(t *testing.T, s site, o SpaceOptions) (f *fixture, base string) {
	t.Helper()
	needHeld(t)
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	f = &fixture{t: t, home: realDir(t)}
	f.write(map[string]string{"~/.gitconfig": "[user]\nname = a\nemail = a@b\n[init]\ndefaultBranch = main\n"})
	base = realDir(t)
	f.root = base
	f.outside(s.setup)
	f.root = filepath.Join(base, s.work)
	f.run = f.open(Options{})
	o.Root = f.root
	f.space = f.newSpace(o)
	return f, base
}

// outside runs a script as the user, in the workspace.
func (f *fixture) outside(script string) string {
	f.t.Helper()
	cmd := exec.Command("bash", "-ec", script)
	cmd.Dir, cmd.Env = f.root, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + f.home}
	out, err := cmd.CombinedOutput()
	if err != nil {
		f.t.Fatalf("%s\n%v\n%s", script, err, out)
	}
	return strings.TrimSpace(string(out))
}

// state is all that git knows of a working tree, and the files that it has.
func (f *fixture) state(top string) string {
	f.t.Helper()
	return f.outside("cd " + top + "; git status --porcelain; git rev-parse HEAD; git stash list; git for-each-ref; git ls-files -s; find . -name .git -prune -o -type f -print | sort; cat $(git ls-files)")
}

// TestGitWherever: git does the same wherever the workspace is in the repository.
func TestGitWherever(t *testing.T) {
	const inSub = "[ -d sub ] && cd sub; "
	tests := []struct {
		name, script string
		readOnly     bool
		want         string // that it prints
		after        string // asks git afterwards, outside
		wantAfter    string
	}{
		{"log", "git log --format=%s", true, "one", "", ""},
		{"status and diff", inSub + "git status --short; git diff --stat | tail -1", true, "", "", ""},
		{"add", inSub + "echo 2 >> a; git add a; git status --short .", false, "M  a", "git diff --cached --name-only", "sub/a"},
		{"commit", inSub + "echo 2 >> a; echo 3 > new; git add a new && git commit -qm two && git log --format=%s -1", false, "two", "git log --format=%s; git status --short; git show --stat HEAD --format= | tail -1", "two\none\n 2 files changed, 2 insertions(+)"},
		{"stash", inSub + "echo 2 >> a; git stash -q; cat a; git stash list | wc -l", false, "1\n1", "git stash list --format=%gs; cat sub/a", "WIP on BRANCH\n1"},
		{"checkout of a file", inSub + "echo 2 >> a; git checkout -q -- a; cat a", false, "1", "git status --short", ""},
		{"checkout of a new branch", inSub + "git checkout -qb x && git branch --show-current", false, "x", "git symbolic-ref HEAD", "refs/heads/x"},
		{"rebase", inSub + "echo 2 >> a; git commit -qam two; GIT_SEQUENCE_EDITOR=true git rebase -q -i HEAD~1 && git log --format=%s -1", false, "two", "git log --format=%s -1; git status --short", "two"},
		{"reset", inSub + "echo 2 >> a; git commit -qam two; git reset -q --hard HEAD~1; cat a", false, "1", "git log --format=%s; git status --short", "one"},
	}
	for _, s := range sites() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			f, base := newSite(t, s, SpaceOptions{})
			branch, first := f.outside("git branch --show-current"), f.outside("git log -1 --format='%h %s'")
			for _, test := range tests {
				t.Run(test.name, func(t *testing.T) {
					f.outside("git checkout -q " + branch + "; git reset -q --hard " + first[:strings.IndexByte(first, ' ')] + "; git stash clear; git clean -qfd")
					o, got := f.do(Call{Git: true, ReadOnly: test.readOnly}, test.script, anything, false)
					if strings.TrimRight(got, "\n") != test.want || o.Note() != "" {
						t.Errorf("%s\ngot  %q\nwant %q\n%s", test.script, got, test.want, o.Note())
					}
					if test.after == "" {
						return
					}
					want := strings.ReplaceAll(test.wantAfter, "BRANCH", branch+": "+first)
					if got := f.outside("cd " + filepath.Join(base, s.top) + "; " + test.after); got != strings.TrimSpace(want) {
						t.Errorf("%s\nafterwards %s\ngot  %q\nwant %q", test.script, test.after, got, want)
					}
				})
			}
		})
	}
}

// TestGitOutside: what is outside of the workspace, and what never changes, stays; then
// nothing of the command lands.
func TestGitOutside(t *testing.T) {
	tests := []struct{ name, script, want string }{
		{"a file outside of the workspace is staged", "echo 2 > ../other/b; git add ../other/b", "other/b (it is outside of the workspace)"},
		{"checkout of a file outside", "git rm -q ../c", "c (it is outside of the workspace)"},
		{"a commit that removes one", "echo 2 > a; git rm -q ../other/b; git commit -qam two", "other/b (it is outside of the workspace)"},
		{"stash of a new file outside", "echo 2 > ../new; git add ../new; git stash -q; touch ../new2", "new2 (it is outside of the workspace)"},
		{"configuration", "git config user.name evil", "git's configuration, hooks and links never change"},
		{"hooks", "d=$(git rev-parse --git-path hooks/pre-commit); mkdir -p $(dirname $d); echo evil > $d", "git's configuration, hooks and links never change"},
		{"the objects of another repository", "d=$(git rev-parse --git-path objects/info); mkdir -p $d; echo /x > $d/alternates", "git's configuration, hooks and links never change"},
		{"a file goes out of the workspace", "git mv a ../moved", "moved (it is outside of the workspace)"},
	}
	for _, s := range sites() {
		if !strings.Contains(s.name, "subfolder") {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			f, base := newSite(t, s, SpaceOptions{})
			top := filepath.Join(base, s.top)
			before := f.state(top)
			for i, test := range tests {
				o, out := f.do(Call{Git: true}, "echo more > more; git add more; "+test.script, anything, i%2 == 0)
				if !strings.Contains(o.Note(), test.want) || !strings.HasPrefix(o.Note(), "none of the command's changes were kept") {
					t.Errorf("%s: %q\n%s", test.name, o.Note(), out)
				}
				if after := f.state(top); after != before {
					t.Errorf("%s: it has changed\n%s\nto\n%s", test.name, before, after)
				}
			}
		})
	}
}

// TestGitShared: of the git directory of several working trees only what all of them share
// may change.
func TestGitShared(t *testing.T) {
	f, base := newSite(t, site{setup: "git init -q repo; cd repo; touch a; git add a; git commit -qm one; git worktree add -q ../wt; git worktree add -q ../other", work: "wt"}, SpaceOptions{})
	for name, want := range map[string]string{
		"HEAD": "it belongs to another working tree", "index": "it belongs to another working tree", "logs/HEAD": "it belongs to another working tree",
		"worktrees/other/HEAD": "it belongs to another working tree", "refs/bisect/bad": "it belongs to another working tree", "ORIG_HEAD": "it belongs to another working tree",
		"config": "git's configuration, hooks and links never change", "hooks/x": "git's configuration, hooks and links never change", "worktrees/wt/gitdir": "git's configuration, hooks and links never change",
		"worktrees/wt/ORIG_HEAD": "", "refs/heads/x": "", "refs/stash": "", "logs/refs/heads/x": "", "packed-refs": "", "objects/ab/x": "",
	} {
		file := filepath.Join(base, "repo/.git", name)
		o, out := f.do(Call{Git: true}, "mkdir -p "+filepath.Dir(file)+"; echo x >> "+file, anything, false)
		if landed := len(o.Denied) == 0; landed != (want == "") || !strings.Contains(o.Note(), want) {
			t.Errorf("%s: %q\n%s", name, o.Note(), out)
		}
		if _, err := os.Lstat(file); want == "" && err != nil {
			t.Error(err)
		}
	}
}

// TestGitElsewhere: a repository that could belong to somebody else is only read, and the
// reason is told.
func TestGitElsewhere(t *testing.T) {
	const other = "git init -qb main repo; cd repo; touch a; git add a; git commit -qm one; cd ..; mkdir work; cd work; "
	for _, s := range []site{
		{name: "does not say that it belongs to", setup: other + "echo gitdir: ../repo/.git > .git", work: "work"},
		{name: "has no working tree in", setup: other + "mkdir fake; cp ../repo/.git/HEAD fake; echo ../../repo/.git > fake/commondir; echo $PWD/.git > fake/gitdir; echo gitdir: fake > .git", work: "work"},
		{name: "has no working tree in", setup: other + "cd ../repo; git worktree add -q ../wt; cp ../wt/.git ../work", work: "work"},
	} {
		f, base := newSite(t, s, SpaceOptions{})
		f.space.o.Hidden = nil
		v, cmd, out := f.begin(Call{Git: true}, "git add -A; git commit -qm evil; echo evil > "+base+"/repo/.git/refs/heads/evil")
		_ = cmd.Wait()
		if !strings.Contains(v.Closed(), s.name) {
			t.Errorf("got %q, want %q\n%s", v.Closed(), s.name, out)
		}
		if _, err := v.Land(anything, false); err != nil {
			t.Error(err)
		}
		v.Close()
		if _, err := os.Lstat(base + "/repo/.git/refs/heads/evil"); err == nil {
			t.Error("it has written to the other repository")
		}
	}
}

// TestGitInLargeTree: a working tree with too many files to find what is hidden in it can be
// read.
func TestGitInLargeTree(t *testing.T) {
	f, _ := newSite(t, sites()[1], SpaceOptions{Hidden: func(string, bool) bool { return false }})
	f.run.maxAround = 5
	f.space = f.newSpace(SpaceOptions{Root: f.root, Hidden: func(string, bool) bool { return false }})
	v, cmd, out := f.begin(Call{Git: true}, "git log --format=%s; echo 2 > a; git commit -qam two 2>&1 | grep -c Read-only")
	defer v.Close()
	_ = cmd.Wait()
	if got := out.String(); got != "one\n1\n" || !strings.HasSuffix(v.Closed(), "/repo has more than 5 files: what is hidden in it can't be found") {
		t.Errorf("got %q, %q", got, v.Closed())
	}
}

// TestGitOfAnother: root works in a checkout of another user, once git is told to use it.
func TestGitOfAnother(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can change what is another's")
	}
	for _, s := range sites() {
		if !strings.Contains(s.name, "subfolder") {
			continue
		}
		f, base := newSite(t, s, SpaceOptions{})
		f.outside("chown -R 65534:65534 " + base)
		const script = "echo 2 > new; git add new; git commit -qm two 2>&1 | head -1"
		if _, got := f.do(Call{Git: true}, script, anything, false); !strings.Contains(got, "dubious ownership") {
			t.Errorf("%s: %q", s.name, got)
		}
		f.outside("rm -f new; git config --global safe.directory '*'")
		if o, got := f.do(Call{Git: true}, script, anything, false); got != "" || o.Note() != "" || f.outside("git log -1 --format=%s") != "two" {
			t.Errorf("%s: %q, %q", s.name, got, o.Note())
		}
	}
}

// TestGitOfDisposable: commands may write the .git of a workspace that is removed afterwards,
// so that it opens no folder elsewhere.
func TestGitOfDisposable(t *testing.T) {
	for _, s := range sites() {
		if s.name == "a separate git directory" {
			f, base := newSite(t, s, SpaceOptions{Disposable: true})
			f.do(Call{Git: true}, "echo 2 > c; git commit -qam two", anything, false)
			if got := f.outside("git -C " + filepath.Join(base, s.top) + " log --format=%s"); got != "one" {
				t.Errorf("got %q", got)
			}
		}
	}
}

// TestGitOfMounted: a workspace that is mounted in a working tree keeps its files, which an
// overlay of the working tree would not have.
func TestGitOfMounted(t *testing.T) {
	f, base := newSite(t, sites()[1], SpaceOptions{})
	other := filepath.Join(base, "mounted")
	must(t, os.Mkdir(other, 0o755))
	must(t, os.WriteFile(filepath.Join(other, "b"), []byte("mounted"), 0o644))
	if err := unix.Mount(other, f.root, "", unix.MS_BIND, ""); err != nil {
		t.Skipf("SKIPPED: nothing can be mounted: %v", err)
	}
	defer unix.Unmount(f.root, unix.MNT_DETACH)
	f.space = f.newSpace(SpaceOptions{Root: f.root})
	v, cmd, out := f.begin(Call{Git: true}, "cat b; git log --format=:%s")
	defer v.Close()
	_ = cmd.Wait()
	if got := out.String(); got != "mounted:one\n" || !strings.HasSuffix(v.Closed(), f.root+" is mounted in it") {
		t.Errorf("got %q, %q", got, v.Closed())
	}
}

// TestGitAtHome: a repository whose working tree holds the home folder can be read.
func TestGitAtHome(t *testing.T) {
	f, _ := newSite(t, site{setup: "true", work: "."}, SpaceOptions{})
	f.root = f.home
	f.outside("git init -q; git add -f .gitconfig; git commit -qm one; mkdir -p project")
	f.root = filepath.Join(f.home, "project")
	f.space = f.newSpace(SpaceOptions{Root: f.root})
	v, cmd, out := f.begin(Call{Git: true}, "git log --format=%s; echo x > x; git add x 2>&1 | grep -o 'Read-only file system'")
	defer v.Close()
	_ = cmd.Wait()
	if got := out.String(); got != "one\nRead-only file system\n" || !strings.HasSuffix(v.Closed(), "holds the home folder") {
		t.Errorf("got %q, %q", got, v.Closed())
	}
}

// TestGitAndSecrets: secrets around the workspace are as hidden as those in it.
func TestGitAndSecrets(t *testing.T) {
	hidden := func(path string, _ bool) bool { return filepath.Base(path) == ".env" }
	f, base := newSite(t, sites()[1], SpaceOptions{Hidden: hidden})
	must(t, os.WriteFile(filepath.Join(base, "repo/.env"), []byte("secret"), 0o600))
	must(t, os.WriteFile(filepath.Join(base, "repo/other/.env"), []byte("secret"), 0o600))
	tests := []struct{ name, script, want, note string }{
		{"a secret around the workspace is empty", "cat ../.env ../other/.env; wc -c < ../.env", "0", ""},
		{"git does not read it either", "git hash-object ../.env; git grep --no-index secret ..", "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391", ""},
		{"it is not stored as empty", "git add -A ..", "", "it has"},
		{"what is beside it is", "echo 2 > a; git add a && git commit -qm two", "", ""},
		{"it is not lost", "rm ../.env", "", "it is outside of the workspace"},
	}
	for _, test := range tests {
		o, out := f.do(Call{Git: true}, test.script, anything, false)
		if strings.Contains(out, "secret") || test.want != "" && strings.TrimSpace(out) != test.want || !strings.Contains(o.Note(), test.note) || test.note == "" && o.Note() != "" {
			t.Errorf("%s\ngot %q, %q", test.script, out, o.Note())
		}
	}
}

// TestGitInOtherCalls: programs that ask git find the repository, and can't change it.
func TestGitInOtherCalls(t *testing.T) {
	for _, s := range sites()[1:] {
		f, _ := newSite(t, s, SpaceOptions{})
		for _, readOnly := range []bool{false, true} {
			o, got := f.do(Call{ReadOnly: readOnly}, "git log --format=%s -1; git status --short; git diff HEAD; git tag x 2>/dev/null || echo no", anything, false)
			if got != "one\nno\n" || o.Note() != "" {
				t.Errorf("%s: %q, %q", s.name, got, o.Note())
			}
		}
	}
}

// TestGitPasswords: wherever a repository's configuration lies, also where it only includes it, commands see it without passwords,
// but for those of git that talk to another repository.
func TestGitPasswords(t *testing.T) {
	const config = "$(git rev-parse --path-format=absolute --git-common-dir)/config"
	for _, s := range sites() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			f, _ := newSite(t, s, SpaceOptions{Hidden: func(path string, _ bool) bool {
				return strings.HasSuffix(path, "/config") && strings.Contains(path, "/.git/")
			}})
			f.outside("git config remote.origin.url https://a:in-the-secret@b.example/x; git config github.x in-the-secret")
			f.outside("cd $(git rev-parse --git-common-dir); mkdir -p modules/hooks modules/a/logs; " + // modules may have any name
				"for m in hooks a/logs; do git config -f modules/$m/config remote.origin.url https://a:in-the-secret@b.example/x; done")
			f.outside(`printf '[http "https://b.example/"]\nextraheader = in-the-secret\n' > ~/passwords; git config include.path ~/passwords`)
			for _, c := range []Call{{}, {ReadOnly: true}, {Git: true}, {Git: true, Beside: true, Connects: true}} {
				if _, out := f.do(c, "cat ~/passwords "+config+"; git config -l; grep -rs in-the-secret $(git rev-parse --show-toplevel)", anything, false); strings.Contains(out, "in-the-secret") || !strings.Contains(out, "[core]") {
					t.Errorf("%+v: %s", c, out)
				}
			}
			if _, out := f.do(Call{Git: true, Connects: true}, "git config remote.origin.url; git config --get-regexp extraheader", anything, false); strings.Count(out, "in-the-secret") != 2 {
				t.Errorf("git itself sees %q", out)
			}
		})
	}
}

// TestGitConflict: of two commits at the same time in two folders of one repository, the
// second is told, and has changed nothing.
func TestGitConflict(t *testing.T) {
	f, base := newSite(t, sites()[1], SpaceOptions{})
	one, first, _ := f.begin(Call{Git: true}, "echo 2 > a; git commit -qam two")
	f.root = filepath.Join(base, "repo/other")
	f.space = f.newSpace(SpaceOptions{Root: f.root})
	two, second, _ := f.begin(Call{Git: true}, "echo 2 > b; git commit -qam three")
	for i, v := range []*View{one, two} {
		defer v.Close()
		must(t, []*exec.Cmd{first, second}[i].Wait())
		o, err := v.Land(anything, false)
		if err != nil || (len(o.Conflicts) > 0) != (i == 1) {
			t.Errorf("%d: %q %v", i, o.Note(), err)
		}
	}
	if got := f.outside("git log --format=%s; git status --short"); got != "two\none" {
		t.Errorf("got %q", got)
	}
}

// TestGitOfOthers: folders beside the workspace that may change do so with a repository
// around both.
func TestGitOfOthers(t *testing.T) {
	f, base := newSite(t, sites()[1], SpaceOptions{})
	f.space = f.newSpace(SpaceOptions{Root: f.root, Others: []string{filepath.Join(base, "repo/other")}})
	o, out := f.do(Call{Git: true}, "echo 2 > a; echo 2 > ../other/b; git commit -qam two", anything, false)
	if got := f.outside("git show --stat --format=%s | tail -1; git status --short"); got != "2 files changed, 2 insertions(+), 2 deletions(-)" || o.Note() != "" {
		t.Errorf("%q, %q, %q", got, o.Note(), out)
	}
	if o, _ := f.do(Call{ReadOnly: true}, "cat ../other/b", anything, false); o.Note() != "" {
		t.Error(o.Note())
	}
}

// TestGitArmed: a call of git may run a hook of the repository, which may be any program. What it
// writes among git's own files has git run nothing, and write nowhere else, when a person uses
// it next.
func TestGitArmed(t *testing.T) {
	const configuration, another = "git's configuration, hooks and links never change", "it belongs to another working tree"
	const runs = "git would run a program when it continues"
	setup := "git init -qb main part; cd part; touch m; echo old > .env; git add .; git commit -qm part; cd ..; git init -qb main repo; cd repo; " +
		"git -c protocol.file.allow=always submodule -q add ../part mod; echo 1 > a; git add a; git commit -qm one; git worktree add -q ../other; git worktree add -q inner"
	f, _ := newSite(t, site{setup: setup, work: "repo"}, SpaceOptions{Hidden: func(path string, _ bool) bool { return filepath.Base(path) == ".env" }})
	f.write(map[string]string{"mod/.env": "a secret"})
	tests := []struct{ name, script, want string }{
		{"a message that is a link", "ln -sf ../../x .git/COMMIT_EDITMSG", configuration},
		{"a log that is a link", "ln -sf ../../../x .git/logs/HEAD", configuration},
		{"references that are a link", "ln -s ../../../part .git/refs/heads/x", configuration},
		{"an index with a hook", f.forge("index", ".git/hooks/post-checkout"), "git's index has a file .git/hooks/post-checkout"},
		{"an index with a file above", f.forge("index", "../x"), "git's index has a file ../x"},
		{"an index of a submodule with a hook", f.forge("modules/mod/index", ".GIT/hooks/x"), "git's index has a file .GIT/hooks/x"},
		{"an index that is none", "echo x > .git/index", "git's index can't be read"},
		{"a rebase that runs a command", "mkdir .git/rebase-merge; printf 'pick a\n exec evil' > .git/rebase-merge/git-rebase-todo", runs},
		{"a rebase with a strategy of the working tree", "mkdir .git/rebase-merge; echo x/evil > .git/rebase-merge/strategy", runs},
		{"a sequence with a strategy of the working tree", "mkdir .git/sequencer; printf '[options]\n Strategy = \\\nx/evil' > .git/sequencer/opts", runs},
		{"a sequence with a strategy of git's", "mkdir .git/sequencer; printf '[options]\n strategy = ort' > .git/sequencer/opts; mkdir .git/rebase-merge; echo ort > .git/rebase-merge/strategy", ""},
		{"a branch with that name", "git branch x/strategy; git symbolic-ref refs/heads/opts refs/heads/main", ""},
		{"a rebase of a submodule", "mkdir .git/modules/mod/rebase-merge; echo x evil > .git/modules/mod/rebase-merge/git-rebase-todo.backup", runs},
		{"a rebase that runs none", "mkdir .git/rebase-merge; printf 'pick a exec\nfixup x' > .git/rebase-merge/git-rebase-todo", ""},
		{"a submodule whose name ends in refs", "mkdir -p .git/modules/x/refs; cp .git/modules/mod/config .git/modules/x/refs", configuration},
		{"a submodule in objects", "mkdir -p .git/modules/x/objects; echo /x > .git/modules/x/objects/commondir", configuration},
		{"another working tree", "cp .git/HEAD .git/worktrees/other/ORIG_HEAD", another},
		{"a working tree in the workspace", "cp .git/HEAD .git/worktrees/inner/ORIG_HEAD", ""},
		{"a commit in a submodule", "cd mod; echo 1 >> m; git add m; git commit -qm two", ""},
		{"a hidden file in a submodule", "cd mod; cp .env .env2; mkdir x; touch x/.env; git add -A; git commit -qm three", ""},
		{"a hidden file in a submodule that is forced", "cd mod; git update-index --no-assume-unchanged .env; git add -A; git commit -qm four", "it has mod/.env as empty, which is hidden from commands"},
	}
	for _, test := range tests {
		o, out := f.do(Call{Git: true}, test.script, anything, false)
		if landed := len(o.Denied) == 0 && o.Landed > 0; landed != (test.want == "") || !strings.Contains(o.Note(), test.want) {
			t.Errorf("%s: %d landed, %q\n%s", test.name, o.Landed, o.Note(), out)
		}
	}
}

// forge writes the file forged, an index with one more file, as git itself would not, and returns a
// script that puts it in the place of the index.
func (f *fixture) forge(index, path string) string {
	f.t.Helper()
	text, err := os.ReadFile(filepath.Join(f.root, ".git", index))
	must(f.t, err)
	entry := make([]byte, 62, 128)
	entry[61] = byte(len(path)) // flags
	entry = append(entry, path...)
	entry = append(entry, make([]byte, 8-len(entry)%8)...)
	forged := slices.Concat(text[:12], entry, text[12:])
	binary.BigEndian.PutUint32(forged[8:], binary.BigEndian.Uint32(text[8:])+1)
	name := fmt.Sprintf("forged%d", len(path))
	must(f.t, os.WriteFile(filepath.Join(f.root, name), forged, 0o644))
	return "cp " + name + " .git/" + index
}

// TestGitRefreshed: git that prints, such as git diff, writes the index anew when the times of
// files have changed. That is no change of the repository: what else the command did lands.
func TestGitRefreshed(t *testing.T) {
	for _, s := range sites() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			f, _ := newSite(t, s, SpaceOptions{Hidden: func(path string, _ bool) bool { return filepath.Base(path) == ".env" }})
			f.outside("f=$(git ls-files | head -1); cp $f kept; echo secret > .env; git add -f .env kept; git commit -qm more; touch -d 2001-01-01 $(git ls-files)")
			for i, call := range []Call{{Git: true, Prints: true}, {Git: true, Prints: true, Beside: true}, {Prints: true}} {
				want := fmt.Sprint("line ", i)
				o, out := f.do(call, "touch $(git ls-files | grep -v env | head -1); echo "+want+" >> kept; git diff --stat >/dev/null", anything, i == 0)
				if got := f.outside("tail -1 kept"); got != want || o.Note() != "" {
					t.Errorf("%+v: got %q, want %q\n%s\n%s", call, got, want, o.Note(), out)
				}
			}
			for _, script := range []string{"git add kept", "git update-index --assume-unchanged kept", "git update-index --skip-worktree kept", "git rm -q --cached kept", "git update-index --chmod=+x kept"} {
				if o, out := f.do(Call{Prints: true}, script+" && echo done", anything, false); strings.Contains(out, "done") && !strings.Contains(o.Note(), "index (git changes it only in a command without") {
					t.Errorf("%s: it did not say that this is lost: %q", script, o.Note())
				}
			}
		})
	}
}

// TestGitRewritesConfiguration: git that writes its configuration anew, as it is, has changed
// nothing, although what the command sees of it has no passwords.
func TestGitRewritesConfiguration(t *testing.T) {
	const config = "$(git rev-parse --path-format=absolute --git-common-dir)/config"
	for _, s := range sites() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			f, _ := newSite(t, s, SpaceOptions{Hidden: func(path string, _ bool) bool {
				return strings.HasSuffix(path, "/config") && strings.Contains(path, "/.git/")
			}})
			f.outside("git config remote.origin.url https://a:b@example.com/x; git config http.https://example.com/.extraheader 'AUTHORIZATION: basic x'")
			before := f.outside("cat " + config)
			for _, script := range []string{"git branch tmp && git branch -d tmp", "git branch tmp && git branch -D tmp", "git branch tmp && git branch -m tmp made && git rev-parse made && git branch -D made"} {
				if o, out := f.do(Call{Git: true}, script, anything, false); o.Note() != "" || f.outside("git branch --list tmp made") != "" {
					t.Errorf("%s: %q\n%s", script, o.Note(), out)
				}
			}
			for _, script := range []string{"git config user.name x", "chmod 600 " + config, "rm " + config} {
				if o, _ := f.do(Call{Git: true}, script, anything, false); !strings.Contains(o.Note(), "config (") {
					t.Errorf("%s: %q", script, o.Note())
				}
			}
			if after := f.outside("cat " + config); after != before {
				t.Errorf("got\n%s\nwant\n%s", after, before)
			}
		})
	}
}
