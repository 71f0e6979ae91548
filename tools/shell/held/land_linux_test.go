package held

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadOnly: a command whose words say that it only reads sees what others do, and
// can't change anything, whatever it is.
func TestReadOnly(t *testing.T) {
	f := newFixture(t, SpaceOptions{
		Hidden:  hidesKeys,
		Ignored: func() func(string, bool) bool { return func(rel string, _ bool) bool { return rel == "build" } },
	})
	f.write(map[string]string{"a": "a", ".env": "secret"})
	f.do(Call{}, "echo built > build; echo cached > ~/.cache/c", only(), false)
	o, out := f.do(Call{ReadOnly: true}, `cat a .env build ~/.cache/c; for f in a b build ~/.cache/c ~/.cache/d; do echo x 2>/dev/null > $f || echo no; done; echo x > /tmp/x && cat /tmp/x`, anything, false)
	if want := "abuilt\ncached\nno\nno\nno\nno\nno\nx\n"; out != want || o.Landed > 0 || o.Note() != "" {
		t.Errorf("got %q, want %q: %+v", out, want, o)
	}
	if got := f.tree(); got != ".env = secret\na = a\n" {
		t.Errorf("the workspace:\n%s", got)
	}
	f.space.run.removing.Wait()
	if calls, _ := filepath.Glob(filepath.Join(f.space.store.path, "call-*")); len(calls) > 0 {
		t.Errorf("left: %s", calls)
	}
}

// TestLand: what a script does in a workspace, what is allowed of it, and what the
// workspace is like afterwards.
func TestLand(t *testing.T) {
	base := map[string]string{"README.md": "one", "docs/a.md": "a", "docs/sub/b.md": "b", "src/main.go": "package main"}
	const tree = "README.md = one\ndocs/\ndocs/a.md = a\ndocs/sub/\ndocs/sub/b.md = b\nsrc/\nsrc/main.go = package main\n"
	tests := []struct {
		name, script string
		allow        []string // nil is all
		partial      bool
		want         string // of the tree; "" is as it was
		denied       string // of what is denied, the paths
		closed       string // a file that can't be written
	}{
		{name: "nothing", script: "cat README.md"},
		{name: "a change", script: "echo two > README.md", want: strings.Replace(tree, "= one", "= two", 1)},
		{name: "a new file", script: "echo c > docs/c.md", allow: []string{"docs/"}, want: strings.Replace(tree, "docs/sub/\n", "docs/c.md = c\ndocs/sub/\n", 1)},
		{name: "new folders", script: "mkdir -p docs/x/y && echo c > docs/x/y/c", allow: []string{"docs/"}, want: strings.Replace(tree, "src/\n", "docs/x/\ndocs/x/y/\ndocs/x/y/c = c\nsrc/\n", 1)},
		{name: "an empty folder", script: "mkdir docs/x", allow: []string{"docs/"}, want: strings.Replace(tree, "src/\n", "docs/x/\nsrc/\n", 1)},
		{name: "a folder that no rule names, for what is in it", script: "mkdir new && echo c > new/c", allow: []string{"new/"}, want: "README.md = one\ndocs/\ndocs/a.md = a\ndocs/sub/\ndocs/sub/b.md = b\nnew/\nnew/c = c\nsrc/\nsrc/main.go = package main\n"},
		{name: "denied", script: "echo c > docs/c.md; echo x > src/x.go", allow: []string{"docs/"}, denied: "src/x.go"},
		{name: "in part", script: "echo c > docs/c.md; echo x > src/x.go", allow: []string{"docs/"}, partial: true, denied: "src/x.go", want: strings.Replace(tree, "docs/sub/\n", "docs/c.md = c\ndocs/sub/\n", 1)},
		{name: "an empty folder, denied", script: "mkdir new", allow: []string{"docs/"}, denied: "new"},
		{name: "deleted", script: "rm docs/a.md", want: strings.Replace(tree, "docs/a.md = a\n", "", 1)},
		{name: "deleted, denied", script: "rm docs/a.md", allow: []string{"src/"}, denied: "docs/a.md"},
		{name: "a tree", script: "rm -r docs", want: "README.md = one\nsrc/\nsrc/main.go = package main\n"},
		{name: "a tree with what may not be deleted", script: "rm -r docs", allow: []string{"docs/a.md"}, denied: "docs/sub/b.md"},
		{name: "a tree in part", script: "rm -r docs", allow: []string{"docs/a.md"}, partial: true, denied: "docs/sub/b.md", want: strings.Replace(tree, "docs/a.md = a\n", "", 1)},
		{name: "made again", script: "rm -r docs; mkdir -p docs/sub; echo n > docs/sub/n", want: "README.md = one\ndocs/\ndocs/sub/\ndocs/sub/n = n\nsrc/\nsrc/main.go = package main\n"},
		{name: "a folder that moves", script: "mv docs gone", want: "README.md = one\ngone/\ngone/a.md = a\ngone/sub/\ngone/sub/b.md = b\nsrc/\nsrc/main.go = package main\n"},
		{name: "a folder that moves where only its new place is allowed", script: "mv docs gone", allow: []string{"gone/"}, denied: "docs/a.md docs/sub/b.md"},
		{name: "a file in the place of a folder", script: "rm -r docs; echo x > docs", want: "README.md = one\ndocs = x\nsrc/\nsrc/main.go = package main\n"},
		{name: "a folder in the place of a file", script: "rm README.md; mkdir README.md; echo x > README.md/x", want: strings.Replace(tree, "README.md = one\n", "README.md/\nREADME.md/x = x\n", 1)},
		{name: "as it was", script: "printf one > x; mv x README.md; rm -f x", allow: []string{"docs/"}},
		{name: "a time alone", script: "touch -d 2001-01-01 README.md", allow: []string{"docs/"}},
		{name: "a file that is closed moves", script: "mv docs/a.md docs/c.md", closed: "docs/a.md", want: strings.Replace(tree, "docs/a.md", "docs/c.md", 1)},
		{name: "a link inside", script: "ln -s a.md docs/l", allow: []string{"docs/"}, want: strings.Replace(tree, "docs/sub/\n", "docs/l -> a.md\ndocs/sub/\n", 1)},
		{name: "a link that leads out", script: "ln -s /usr/bin/env docs/l", allow: []string{"docs/"}, want: strings.Replace(tree, "docs/sub/\n", "docs/l -> /usr/bin/env\ndocs/sub/\n", 1)},
		{name: "a link to what the kernel tells", script: "ln -s /proc/1 docs/l", denied: "docs/l"},
		{name: "written through a link", script: "ln -s ../src docs/l; echo x > docs/l/x.go", allow: []string{"docs/"}, denied: "src/x.go"},
		{name: "a hard link", script: "ln README.md docs/l", allow: []string{"docs/"}, want: strings.Replace(tree, "docs/sub/\n", "docs/l = one\ndocs/sub/\n", 1)},
		{name: "what is never changed", script: "mkdir .git .git/hooks; echo x > .git/hooks/pre-commit; echo > docs/x", denied: ".git/hooks/pre-commit"},
		{name: "the records of runs", script: "mkdir -p docs/.flow; echo x > docs/.flow/x", denied: "docs/.flow/x"},
		{name: "by another case", script: "mkdir .GIT; echo x > .GIT/config", denied: ".GIT/config"},
		{name: "a file in the place of a repository", script: "echo gitdir: /tmp/x > docs/.git", denied: "docs/.git"},
		{name: "set-id", script: "cp /bin/true docs/t; chmod u+s docs/t", denied: "docs/t"},
		{name: "a pipe", script: "mkfifo docs/p", denied: "docs/p"},
		{name: "a bare repository", script: "mkdir -p docs/objects docs/refs; echo x > docs/HEAD; echo y > docs/config", denied: "docs/HEAD docs/config docs/objects docs/refs"},
		{name: "a bare repository whose rest is elsewhere", script: "mkdir -p docs/c/objects docs/c/refs; echo x > docs/HEAD; echo c > docs/commondir; echo y > docs/c/config", denied: "docs/HEAD docs/commondir"},
		{name: "a link to all files", script: "ln -s / docs/l", denied: "docs/l"},
		{name: "a link that goes through a link", script: "ln -s /usr/bin docs/l; ln -s l/../../etc docs/m", denied: "docs/m"},
		{name: "a path that is too long", script: "cd docs; n=$(printf %0200d 0); for i in $(seq 25); do mkdir $n; cd $n; done; echo x > x", denied: strings.TrimSuffix("docs/"+strings.Repeat(strings.Repeat("0", 200)+"/", 19), "/")},
		{name: "a file that is the run's", script: "echo x >> src/flow.yaml", denied: "src/flow.yaml"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t, SpaceOptions{})
			f.space.o.Protected = []string{f.root + "/src/flow.yaml"}
			f.write(base)
			if test.closed != "" {
				must(t, os.Chmod(filepath.Join(f.root, test.closed), 0o444))
			}
			judge := Judge(anything)
			if test.allow != nil {
				judge = only(test.allow...)
			}
			o, printed := f.do(Call{}, test.script, judge, test.partial)
			var denied []string
			for _, d := range o.Denied {
				denied = append(denied, d.Rel)
			}
			want := test.want
			if want == "" {
				want = tree
			}
			if got := strings.Join(denied, " "); got != test.denied {
				t.Errorf("denied %q, want %q\n%s\n%s", got, test.denied, o.Note(), printed)
			}
			if got := f.tree(); got != want {
				t.Errorf("%s\ngot\n%swant\n%s%s", test.script, got, want, printed)
			}
		})
	}
}

// TestLandFollowsNoLink: where somebody puts a link in the place of a folder beside the
// workspace while a command changes something in it, nothing lands where that leads.
func TestLandFollowsNoLink(t *testing.T) {
	f := newFixture(t, SpaceOptions{})
	beside, elsewhere := filepath.Join(realDir(t), "beside"), realDir(t)
	must(t, os.Mkdir(beside, 0o755))
	f.space = f.newSpace(SpaceOptions{Root: f.root, Others: []string{beside}})
	v, cmd, out := f.begin(Call{}, "echo x > "+beside+"/x")
	defer v.Close()
	must(t, cmd.Wait())
	must(t, os.Rename(beside, beside+"~"))
	must(t, os.Symlink(elsewhere, beside))
	if o, err := v.Land(anything, false); err == nil {
		t.Errorf("%+v; %s", o, out)
	}
	if left := listed(t, elsewhere); left != "" {
		t.Errorf("it landed where the link leads: %s", left)
	}
}

// TestLargeUnchanged: a file that was only opened for writing is no change, but not more of them is read to find that
// out than takes a moment.
func TestLargeUnchanged(t *testing.T) {
	f := newFixture(t, SpaceOptions{})
	f.write(map[string]string{"small": "1", "large": ""})
	must(t, os.Truncate(filepath.Join(f.root, "large"), maxCompared+1))
	o, out := f.do(Call{}, ": >> small; : >> large", only("docs/"), false)
	if got := deniedPaths(o); got != "large" {
		t.Errorf("denied %q, %q", got, out)
	}
}
