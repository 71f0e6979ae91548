package held

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestFolderModes: folders get their modes, also those that close them to their owner, and what
// the command did in them lands.
func TestFolderModes(t *testing.T) {
	const closed = "docs/old/ 555\ndocs/old/deep/ 555\ndocs/old/deep/f\ndocs/old/f\n"
	tests := []struct{ name, script, want string }{
		{"a new folder that is closed", "mkdir docs/ro && echo 1 > docs/ro/f && chmod 555 docs/ro", closed + "docs/ro/ 555\ndocs/ro/f\n"},
		{"one in another", "mkdir -p docs/ro/x && echo 1 > docs/ro/x/f && chmod 555 docs/ro/x docs/ro", closed + "docs/ro/ 555\ndocs/ro/x/ 555\ndocs/ro/x/f\n"},
		{"an archive", "mkdir -p a/ro && echo 1 > a/ro/f && chmod 555 a/ro && tar cf a.tar a && chmod 755 a/ro && rm -r a && tar xf a.tar -C docs && rm a.tar", "docs/a/ 755\ndocs/a/ro/ 555\ndocs/a/ro/f\n" + closed},
		{"one that nobody can read", "mkdir -m 0 docs/x", closed + "docs/x/ 0\n"},
		{"one that nobody can read, with something in it", "mkdir -p docs/x/y && echo 1 > docs/x/y/f && chmod 0 docs/x/y docs/x", closed + "docs/x/ 0\ndocs/x/y/ 0\ndocs/x/y/f\n"},
		{"a by-product", "mkdir -p ignored/x && echo 1 > ignored/x/f && chmod 555 ignored/x ignored", closed},
		{"a by-product that nobody can read", "mkdir -p ignored/x && chmod 0 ignored/x ignored", closed},
		{"a closed folder is deleted", "chmod -R u+w docs/old && rm -rf docs/old", ""},
		{"a closed folder is moved", "chmod -R u+w docs/old && cp -r docs/old docs/new && rm -rf docs/old", "docs/new/ 755\ndocs/new/deep/ 755\ndocs/new/deep/f\ndocs/new/f\n"},
		{"what is in one is deleted", "chmod u+w docs/old && rm docs/old/f", strings.Replace(closed[:len(closed)-len("docs/old/f\n")], "555", "755", 1)},
		{"one is opened for a moment", "chmod u+w docs/old/deep && rm docs/old/deep/f && echo 1 > docs/old/deep/g && chmod u-w docs/old/deep", strings.Replace(closed, "deep/f", "deep/g", 1)},
		{"one is closed altogether", "chmod 700 docs/old && echo 1 > docs/old/g && chmod 0 docs/old", strings.Replace(closed, "555", "0", 1) + "docs/old/g\n"},
		{"a file takes its place", "chmod -R u+w docs/old && rm -rf docs/old && echo 1 > docs/old", "docs/old\n"},
		{"another folder takes its place", "chmod -R u+w docs/old && rm -rf docs/old && mkdir docs/old && echo 1 > docs/old/n && chmod 500 docs/old", "docs/old/ 500\ndocs/old/n\n"},
		{"a file that nobody can read", "echo 1 > docs/z && chmod 0 docs/z", closed + "docs/z\n"},
	}
	elsewhere, err := os.MkdirTemp("/dev/shm", "flow-held-test-")
	must(t, err)
	defer os.RemoveAll(elsewhere)
	for _, base := range []string{"", filepath.Join(elsewhere, "store")} { // moved, and copied
		for _, test := range tests {
			t.Run(fmt.Sprint(test.name, base != ""), func(t *testing.T) {
				f := newFixture(t, SpaceOptions{})
				t.Cleanup(func() { _ = removeAll(f.root) })
				f.run = f.open(Options{Base: base})
				f.space = f.newSpace(SpaceOptions{Root: f.root, Ignored: func() func(string, bool) bool {
					return func(rel string, _ bool) bool { return rel == "ignored" }
				}})
				f.write(map[string]string{"docs/old/deep/f": "1", "docs/old/f": "1"})
				must(t, os.Chmod(filepath.Join(f.root, "docs/old/deep"), 0o555))
				must(t, os.Chmod(filepath.Join(f.root, "docs/old"), 0o555))
				o, out := f.do(Call{}, test.script, only("docs/"), false)
				if o.Note() != "" || out != "" {
					t.Errorf("%q, %q", o.Note(), out)
				}
				if got := f.modes("docs/"); got != test.want {
					t.Errorf("got\n%swant\n%s", got, test.want)
				}
				if o, out := f.do(Call{}, "ls ignored docs", only("docs/"), false); o.Note() != "" {
					t.Errorf("then: %q, %q", o.Note(), out)
				}
			})
		}
	}
}

// modes lists what is in a folder of the workspace, with the modes of folders.
func (f *fixture) modes(in string) string {
	f.t.Helper()
	var b strings.Builder
	var walk func(rel string)
	walk = func(rel string) {
		path := filepath.Join(f.root, rel)
		var info unix.Stat_t
		must(f.t, unix.Lstat(path, &info))
		if info.Mode&unix.S_IFMT != unix.S_IFDIR {
			b.WriteString(rel + "\n")
			return
		}
		if rel += "/"; rel != in {
			fmt.Fprintf(&b, "%s %o\n", rel, info.Mode&0o777)
		}
		must(f.t, os.Chmod(path, 0o700))
		entries, err := os.ReadDir(path)
		must(f.t, err)
		for _, entry := range entries {
			walk(rel + entry.Name())
		}
		must(f.t, os.Chmod(path, os.FileMode(info.Mode&0o777)))
	}
	walk(strings.TrimSuffix(in, "/"))
	return b.String()
}

// TestUnreadable: what can't be read of a command's changes is denied.
func TestUnreadable(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root can read everything")
	}
	f := newFixture(t, SpaceOptions{})
	f.write(map[string]string{"docs/shut/f": "1"})
	t.Cleanup(func() { _ = removeAll(f.root) })
	for script, want := range map[string]string{
		"chmod 700 docs/shut && echo 2 > docs/shut/f": "docs/shut/f (it can't be read",
		"chmod 700 docs/shut && rm -rf docs/shut":     "docs/shut (it can't be read",
	} {
		must(t, os.Chmod(filepath.Join(f.root, "docs/shut"), 0))
		o, out := f.do(Call{}, script, anything, false)
		if !strings.Contains(o.Note(), want) {
			t.Errorf("%s: %q, %q", script, o.Note(), out)
		}
	}
}

// TestHiddenInClosedFolder: commands run where a hidden file is in a folder that is closed to its
// owner.
func TestHiddenInClosedFolder(t *testing.T) {
	f := newFixture(t, SpaceOptions{Hidden: hidesKeys})
	f.write(map[string]string{"ro/deep/.env": "secret", "ro/private/k": "secret", "ro/f": "1"})
	t.Cleanup(func() { _ = removeAll(f.root) })
	for _, name := range []string{"ro/deep", "ro/private", "ro"} {
		must(t, os.Chmod(filepath.Join(f.root, name), 0o500))
	}
	o, out := f.do(Call{}, "cat ro/f; echo; stat -c %a ro ro/deep ro/private; ls ro/private; wc -c < ro/deep/.env; echo 1 > new", anything, false)
	if out != "1\n500\n500\n500\n0\n" || o.Note() != "" {
		t.Errorf("%q, %q", out, o.Note())
	}
}

// TestSecretInShutFolder: what the walk that finds secrets can't read, a command can't open for itself.
func TestSecretInShutFolder(t *testing.T) {
	f := newFixture(t, SpaceOptions{Hidden: func(path string, folder bool) bool { return hidesKeys(path, folder) || filepath.Base(path) == "config" }})
	f.write(map[string]string{"shut/.env": "secret", "shut/in/.env": "secret", "blind/.env": "secret", ".git/HEAD": "", ".git/modules/m/config": "[http]\nx = secret\n"})
	t.Cleanup(func() { _ = removeAll(f.root) })
	for name, mode := range map[string]os.FileMode{"shut": 0, "blind": 0o100, ".git/modules/m": 0} {
		must(t, os.Chmod(filepath.Join(f.root, name), mode))
	}
	_, out := f.do(Call{Git: true}, "cat blind/.env; chmod 700 shut blind .git/modules/m; cat shut/.env shut/in/.env blind/.env .git/modules/m/config", anything, false)
	if strings.Contains(out, "secret") {
		t.Errorf("%q", out)
	}
}

// TestByProductInClosedFolder: by-products in a folder that is closed to its owner leave that as it
// is, also for the next command.
func TestByProductInClosedFolder(t *testing.T) {
	f := newFixture(t, SpaceOptions{Ignored: func() func(string, bool) bool {
		return func(rel string, _ bool) bool { return strings.HasSuffix(rel, ".pyc") }
	}})
	f.write(map[string]string{"pkg/in/f": "1"})
	t.Cleanup(func() { _ = removeAll(f.root) })
	for _, name := range []string{"pkg/in", "pkg"} {
		must(t, os.Chmod(filepath.Join(f.root, name), 0o555))
	}
	for i := range 3 {
		o, out := f.do(Call{}, fmt.Sprintf("stat -c %%a pkg pkg/in; chmod -R u+w pkg; echo 1 > pkg/in/%d.pyc; chmod u-w pkg/in pkg; ls pkg/in | wc -l", i), only("docs/"), false)
		if want := fmt.Sprintf("555\n555\n%d\n", 2+i); out != want || o.Note() != "" || o.Kept != i+1 {
			t.Errorf("%d: got %q, want %q; %+v", i, out, want, o)
		}
	}
	if got := f.modes("pkg/"); got != "pkg/in/ 555\npkg/in/f\n" {
		t.Error(got)
	}
	o, out := f.do(Call{}, "chmod -R u+w pkg; echo 1 > pkg/in/more.pyc", only("pkg", "pkg/in"), false)
	if got := f.modes("pkg/"); o.Note() != "" || got != "pkg/in/ 755\npkg/in/f\n" {
		t.Errorf("%q, %q, %s", o.Note(), out, got)
	}
}
