package held

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// hidesKeys hides what tests call secrets.
func hidesKeys(path string, folder bool) bool {
	name := filepath.Base(path)
	return name == ".env" || strings.HasSuffix(name, ".pem") || name == "private" && folder
}

// TestBareRepositoryInParts: what one command may land, and another one, is no
// repository of git together.
func TestBareRepositoryInParts(t *testing.T) {
	f := newFixture(t, SpaceOptions{})
	f.write(map[string]string{
		"had/HEAD": "x", "had/objects/a": "x", "had/refs/a": "x", "docs/a": "a",
	})
	tests := []struct{ script, denied string }{
		{"echo x > docs/HEAD; echo x > docs/config", ""},
		{"mkdir docs/objects && echo x > docs/objects/a", ""},
		{"mkdir docs/refs && echo x > docs/refs/a", "docs/refs/a"},
		{"echo x > docs/commondir", "docs/commondir"},
		{"echo x > had/objects/b; echo y > had/refs/a", ""},
		{"mkdir had/hooks; echo x > had/hooks/update", "had/hooks/update"},
		{"echo x > had/config.worktree", "had/config.worktree"},
	}
	for _, test := range tests {
		o, _ := f.do(Call{}, test.script, anything, false)
		if got := deniedPaths(o); got != test.denied {
			t.Errorf("%s: denied %q, want %q", test.script, got, test.denied)
		}
	}
}

func deniedPaths(o Outcome) string {
	var denied []string
	for _, d := range o.Denied {
		denied = append(denied, d.Rel)
	}
	return strings.Join(denied, " ")
}

// TestHiddenIsKept: a command that finds a secret empty does not lose it: not by
// moving it, and not by a commit.
func TestHiddenIsKept(t *testing.T) {
	for _, version := range []string{"2", "4"} {
		f := newFixture(t, SpaceOptions{Hidden: hidesKeys})
		f.write(map[string]string{"a.go": "a", "conf/.env": "KEY=1", "conf/a": "a", "testdata/key.pem": "key", "private/x": "x", "dir/b.pem": "b"})
		must(t, os.WriteFile(filepath.Join(f.home, ".gitconfig"), []byte("[user]\nname=a\nemail=a@b.c\n[index]\nversion="+version+"\n"), 0o600))
		for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "a.go", "testdata", "private"}, {"commit", "-qm", "x"}} {
			cmd := exec.Command("git", args...)
			cmd.Dir, cmd.Env = f.root, append(os.Environ(), "HOME="+f.home)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("git %s: %v %s", args, err, out)
			}
		}
		before := withoutGit(f)
		tests := []struct {
			git            bool
			script, denied string
		}{
			{false, "mv conf conf2", "conf/.env"},
			{false, "mv conf/.env conf/b; ln -s ../conf/.env conf/c", "conf/.env conf/c"},
			{false, "cp -r private p; rm -r private", "private/x"},
			{false, "mv conf/.env conf/b", "conf/.env"},
			{false, "mv conf/.env b; chmod 600 b; echo x >> b", "conf/.env"},
			{false, "mv conf/.env b; mkdir ign; mv b ign/b", "conf/.env"},
			{false, "gzip -f testdata/key.pem", "testdata/key.pem"},
			{false, "cp -a dir dir2; rm -r dir", "dir/b.pem"},
			{false, "python3 -c 'import shutil; shutil.move(\"conf\", \"moved\")'", "conf/.env"},
			{true, "git stash -uq", "conf/.env dir/b.pem"},
			{true, "git add -A && git commit -qm all", ".git/index"},
			{true, "git add conf", ".git/index"},
		}
		for _, test := range tests {
			o, out := f.do(Call{Git: test.git}, test.script, anything, false)
			if got := deniedPaths(o); got != test.denied {
				t.Errorf("%s: denied %q, want %q\n%s", test.script, got, test.denied, out)
			}
		}
		if after := withoutGit(f); after != before {
			t.Errorf("got\n%swant\n%s", after, before)
		}
		o, out := f.do(Call{Git: true}, "echo b > a.go; git add a.go && git commit -qm one", anything, false)
		if len(o.Denied) > 0 || o.Landed == 0 {
			t.Errorf("an ordinary commit: %s\n%s", o.Note(), out)
		}
		clean := "git diff --quiet && git stash list && git checkout -q HEAD~1 && git checkout -q main && echo b2 > a.go && git commit -qam two && git status --porcelain -uno"
		if o, out := f.do(Call{Git: true}, clean, anything, false); len(o.Denied) > 0 || out != "" {
			t.Errorf("what git has stored is as it has it: %s\n%s", o.Note(), out)
		}
		must(t, os.WriteFile(filepath.Join(f.root, "testdata/key.pem"), []byte("not stored"), 0o600))
		for _, call := range []Call{{Git: true}, {}} {
			if _, out := f.do(call, "git status --short -uno; git diff; cat testdata/key.pem; cat private/x 2>/dev/null; ls private", anything, false); out != "" {
				t.Errorf("git %t: what is hidden is empty, and to git as it has stored it: %s", call.Git, out)
			}
		}
		if o, out := f.do(Call{Git: true}, "echo b3 > a.go; git commit -qam three && git checkout -qb other && git commit -qm four --allow-empty", anything, false); len(o.Denied) > 0 || o.Landed == 0 {
			t.Errorf("a hidden file that git has not as it is: %s\n%s", o.Note(), out)
		}
		if key, err := os.ReadFile(filepath.Join(f.root, "testdata/key.pem")); err != nil || string(key) != "not stored" {
			t.Errorf("the hidden file: %q, %v", key, err)
		}
		if status := gitOutside(t, f, "status", "--short", "-uno"); status != " M testdata/key.pem\n" {
			t.Errorf("outside the status is %q", status)
		}
	}
}

func gitOutside(t *testing.T, f *fixture, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = f.root, append(os.Environ(), "HOME="+f.home)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v %s", args, err, out)
	}
	return string(out)
}

// TestBesideGit: what git may see and write opens nothing that is hidden to the programs
// beside it.
func TestBesideGit(t *testing.T) {
	f := newFixture(t, SpaceOptions{Hidden: func(path string, folder bool) bool {
		return hidesKeys(path, folder) || strings.HasSuffix(path, ".git/config")
	}})
	must(t, os.WriteFile(filepath.Join(f.home, ".gitconfig"), []byte("[user]\nname=a\nemail=a@b.c\n"), 0o600))
	f.write(map[string]string{".env": "stored", "a": "a", "private/x": "stored"})
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"}, {"add", "."}, {"commit", "-qm", "one"}, {"checkout", "-qb", "pr"},
		{"config", "http.https://a.example/.extraheader", "AUTHORIZATION: basic stored"}, {"remote", "add", "origin", "https://me:stored@a.example/x"},
		{"remote", "add", "other", "https://b.example/x"},
	} {
		gitOutside(t, f, args...)
	}
	f.write(map[string]string{"out/link": "-> ../.env", "more/.env": "stored", "more/b": "b"})
	gitOutside(t, f, "add", ".")
	gitOutside(t, f, "commit", "-qm", "two")
	gitOutside(t, f, "checkout", "-q", "main")
	const files = "find . -name .git -prune -o -type f -print | sort; cat .env a private/x; git branch"
	before := f.outside(files)
	tests := []struct{ script, want string }{ // want is what it prints; "withheld" if that is not shown
		{"git checkout -q pr -- out && cat out/link", ""},
		{"git checkout -q pr && cat out/link", "withheld"},
		{"git switch -q pr; cat more/b", "withheld"},
		{"git worktree add -q wt pr; cat wt/more/.env", "withheld"},
		{"git worktree add -q --no-checkout wt pr; ln -s ../.env wt/l; cat wt/l", ""},
		{"git restore -q --source=pr more/.env; ln more/.env c; cat c", "withheld"},
		{"git status --short; ln -s .env l; ln .env m; cat l m; cat private/x 2>/dev/null; cp -r private p; ls p", ""},
		{"echo b > a; git stash -q; cat a", "withheld"}, // it has written .env anew
		{"git config remote.other.url; cat .git/config | grep -c stored", "https://b.example/x\n0"},
	}
	for _, test := range tests {
		o, out := f.do(Call{Git: true, Beside: true}, test.script, anything, false)
		if o.Withheld != (test.want == "withheld") || !o.Withheld && strings.TrimSpace(out) != test.want {
			t.Errorf("%s: withheld %t, %q, %s", test.script, o.Withheld, out, o.Note())
		}
		gitOutside(t, f, "worktree", "prune")
		gitOutside(t, f, "reset", "-q", "--hard")
		gitOutside(t, f, "clean", "-qffdx")
		if after := f.outside(files); after != before {
			t.Fatalf("%s: got\n%swant\n%s", test.script, after, before)
		}
	}
	gitOutside(t, f, "config", "filter.x.clean", "cat")
	const settings = "git config remote.origin.url | grep -c stored; git config filter.x.clean"
	for call, want := range map[*Call]string{{Git: true}: "0\ncat\n", {Git: true, Connects: true}: "1\ncat\n", {}: "0\ncat\n"} {
		if _, out := f.do(*call, settings, anything, false); out != want {
			t.Errorf("%+v: its configuration: %q, want %q", *call, out, want)
		}
	}
}

// TestByProductsAreNoRepository: what is set aside has nothing that git would run.
func TestByProductsAreNoRepository(t *testing.T) {
	ignored := func() func(string, bool) bool {
		return func(rel string, _ bool) bool { return strings.HasPrefix(rel, "build") }
	}
	f := newFixture(t, SpaceOptions{Ignored: ignored})
	f.write(map[string]string{"a": "a"})
	const evil = "printf '[core]\n\tfsmonitor = touch '$PWD'/ran; false\n[user]\nname=a\nemail=a@b.c\n' > "
	tests := []struct{ name, make string }{
		{"a bare one", "git init -q --bare build/x; " + evil + "build/x/config"},
		{"one with a workspace", "git init -q build/x; " + evil + "build/x/.git/config"},
		{"one elsewhere", "git init -q --bare build/x.d; " + evil + "build/x.d/config; mkdir build/x; echo gitdir: ../x.d > build/x/.git"},
		{"hooks", "git init -q build/x; printf '#!/bin/sh\ntouch '$PWD'/ran' > build/x/.git/hooks/post-index-change; chmod +x build/x/.git/hooks/*"},
		{"one that was there in part", "mkdir -p build/x/objects; " + evil + "build/x/config"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f.t = t
			f.do(Call{}, test.make, only(), false)
			f.do(Call{}, "cd build/x; mkdir -p refs; [ -e .git ] || echo 'ref: refs/heads/main' > HEAD", only(), false)
			_, out := f.do(Call{Git: true}, "cd build/x; git --git-dir=. status; git add -A; git status; ls .. >&2; test -e ../../ran && echo it ran", only(), false)
			if strings.Contains(out, "it ran") {
				t.Error(out)
			}
			f.do(Call{}, "rm -rf build", only(), false)
		})
	}
}

// withoutGit lists what is in the folders beside .git.
func withoutGit(f *fixture) string {
	whole, all := f.root, ""
	defer func() { f.root = whole }()
	for _, folder := range []string{"conf", "dir", "private", "testdata"} {
		f.root = filepath.Join(whole, folder)
		all += folder + "/\n" + f.tree()
	}
	return all
}

// TestCacheLands: with caches that are kept, commands change the caches themselves.
func TestCacheLands(t *testing.T) {
	f := newFixture(t, SpaceOptions{})
	f.write(map[string]string{"~/.cache/gone": "x", "~/.cache/d/x": "x", "~/.cache/new/old": "x", "~/.cache/f": "x", "~/.cache/k/same": "x"})
	f.run = f.open(Options{KeepCaches: true})
	f.space = f.newSpace(SpaceOptions{Root: f.root})
	f.do(Call{}, `cd ~/.cache && rm -r gone d new f && mkdir new f && echo y > new/y && echo y > f/y && echo z > k/z ; true`, anything, false)
	f.root = filepath.Join(f.home, ".cache")
	if got, want := f.tree(), "f/\nf/y = y\nk/\nk/same = x\nk/z = z\nnew/\nnew/y = y\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if names, err := attributes(filepath.Join(f.root, "new")); err != nil || len(names) > 0 {
		t.Errorf("attributes %q, %v", names, err)
	}
	var info unix.Stat_t
	if err := unix.Lstat(filepath.Join(f.root, "gone"), &info); err == nil {
		t.Errorf("a deleted file is there, mode %o", info.Mode)
	}
}

// TestLinksToHidden: a link to what is hidden, or to a folder around that, does not land.
func TestLinksToHidden(t *testing.T) {
	hides := func(path string, folder bool) bool {
		return strings.HasSuffix(path, ".env") || folder && strings.HasSuffix(path, "/private")
	}
	f := newFixture(t, SpaceOptions{Hidden: hides})
	f.write(map[string]string{".env": "x", "private/deep/x": "x", "docs/a": "a", "~/.ssh/id_rsa": "x", "~/open": "x"})
	for _, hidden := range []bool{true, false} {
		o := SpaceOptions{Root: f.root}
		if hidden {
			o.Hidden = hides
		}
		f.space = f.newSpace(o)
		for target, denied := range map[string]bool{
			".env": hidden, "./docs/../.env": true, "private": hidden, "private/deep/x": hidden, f.root + "/.env": hidden, filepath.Dir(f.root): true,
			f.home + "/.ssh/id_rsa": true, f.home: true, "/": true, "docs": false, "docs/a": false, "private2": false, f.home + "/open": false,
		} {
			o, _ := f.do(Call{}, "ln -s "+target+" link", anything, false)
			if (len(o.Denied) > 0) != denied || (o.Landed == 0) != denied {
				t.Errorf("hidden %t: a link to %s: %+v", hidden, target, o)
			}
			_ = os.Remove(filepath.Join(f.root, "link"))
		}
	}
}
