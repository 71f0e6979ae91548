package shell

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestKeeper: what commands do to what configures git, and to other files that never
// change, is undone where Landlock opens the folder around it.
func TestKeeper(t *testing.T) {
	if err := Sandboxes(); err != nil {
		t.Skipf("SKIPPED: %v", err)
	}
	tests := []struct{ name, script, told string }{
		{"nothing", "cat .git/config; echo x > a", ""},
		{"git's work", "git add -A; git -c user.name=a -c user.email=a@b.c commit -qm x", ""},
		{"a hook", "echo x > .git/hooks/pre-commit", ".git/hooks/pre-commit"},
		{"the configuration", "git config core.fsmonitor evil", ".git/config"},
		{"a time that is set back", "cp -p .git/config c; sed -i s/bare/Bare/ .git/config; touch -r c .git/config; rm c", ".git/config"},
		{"by a link", "ln .git/config l; echo x >> l", ".git/config"},
		{"a link in its place", "mv .git/hooks h; ln -s ../h .git/hooks", ".git/hooks"},
		{"the repository moves", "mv .git g; mkdir .git; cp -r g/objects g/refs g/HEAD .git; echo x > .git/config", ".git/config"},
		{"the repository of a submodule moves", "mv .git g; echo x > .git", ".git/config"},
		{"a link in the place of a submodule's", "mv .git/modules g; ln -s ../g .git/modules", ".git/modules/sub/config"},
		{"a file in the place of a submodule's", "rm -r .git/modules; echo x > .git/modules", ".git/modules/sub/config"},
		{"attributes", "mkdir -p .git/info; echo '* filter=x' > .git/info/attributes", ".git/info"},
		{"a module", "mkdir -p .git/modules/a/b; echo x > .git/modules/a/b/config", ".git/modules/a/b/config"},
		{"alternates", "mkdir -p .git/objects/info; echo /x > .git/objects/info/alternates", ".git/objects/info/alternates"},
		{"a common folder", "echo /x > .git/commondir", ".git/commondir"},
		{"the workflow", "echo x >> flow.yaml", "flow.yaml"},
		{"the workflow is deleted", "rm flow.yaml", "flow.yaml"},
		{"its mode", "chmod 600 flow.yaml", "flow.yaml"},
		{"a folder around it moves", "mv prompts p", "prompts/a/b.md"},
		{"a link to the folder in its place", "mv prompts p; ln -s p prompts; echo x > p/a/b.md", "prompts/a/b.md"},
		{"a link to the folder with the same files", "mv prompts p; ln -s p prompts", "prompts/a/b.md"},
		{"a new file beside it", "echo x > prompts/a/c.md; mkdir prompts/b", ""},
		{"records", "rm -r .flow; mkdir -p .flow/runs/1; echo forged > .flow/runs/1/run.json", ".flow/runs/1/run.json"},
		{"records that are added to", "echo x > .flow/runs/1/more", ".flow/runs/1/more"},
		{"a lock that there was not", "echo x > flow.lock", "flow.lock"},
		{"a folder that there was not", "mkdir -p flow_vendor/x; echo x > flow_vendor/x/flow.yaml", "flow_vendor"},
		{"a trap for what is put back", "echo x >> .git/config; ln -s ../out .git/config.flow-kept", ".git/config"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			root, err := filepath.EvalSymlinks(t.TempDir())
			must(t, err)
			git(t, root)
			for name, text := range map[string]string{"flow.yaml": "name: x\n", "out": "out\n", ".flow/runs/1/run.json": "{}\n", "prompts/a/b.md": "b\n", ".git/modules/sub/config": "[core]\n"} {
				must(t, os.MkdirAll(filepath.Join(root, filepath.Dir(name)), 0o755))
				must(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o644))
			}
			never := func() []string {
				return []string{root + "/flow.yaml", root + "/prompts/a/b.md", root + "/.flow/runs/1", root + "/flow.lock", root + "/flow_vendor"}
			}
			before := listing(t, root)
			c := Command{
				Args: []string{"bash", "-c", test.script}, Dir: root, Env: Environment(nil, os.LookupEnv), Stdout: io.Discard, Untrusted: true,
				Sandbox: &Sandbox{Write: []string{root, os.TempDir()}, Keeper: &Keeper{Root: root, Files: never}},
			}
			_, _, err = c.run(t.Context())
			must(t, err)
			if !strings.Contains(c.undone, test.told) || test.told == "" && c.undone != "" {
				t.Errorf("it was told %q, want %q", c.undone, test.told)
			}
			if after := listing(t, root); after != before {
				t.Errorf("got\n%swant\n%s", after, before)
			}
		})
	}
}

// TestKeeperAround: the same goes for the repository around the workspace, and for a git
// directory elsewhere.
func TestKeeperAround(t *testing.T) {
	if err := Sandboxes(); err != nil {
		t.Skipf("SKIPPED: %v", err)
	}
	base, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	git(t, base)
	work, elsewhere := filepath.Join(base, "work"), filepath.Join(base, "elsewhere")
	must(t, os.Mkdir(work, 0o755))
	must(t, os.CopyFS(elsewhere, os.DirFS(filepath.Join(base, ".git"))))
	before := listing(t, base)
	for script, told := range map[string]string{
		"cat ../.git/config > ../.git/description": "", "echo x > ../.git/hooks/pre-commit": "/.git/hooks/pre-commit",
		"git -C .. config core.fsmonitor evil": "/.git/config", "echo x > ../elsewhere/commondir": "/elsewhere/commondir",
	} {
		c := Command{
			Args: []string{"bash", "-c", script}, Dir: work, Env: Environment(nil, os.LookupEnv), Stdout: io.Discard, Untrusted: true,
			Sandbox: &Sandbox{Write: []string{base}, Keeper: &Keeper{Root: work, Git: []string{filepath.Join(base, ".git"), elsewhere}}},
		}
		_, _, err = c.run(t.Context())
		must(t, err)
		if !strings.Contains(c.undone, told) || (told == "") != (c.undone == "") {
			t.Errorf("%s: it was told %q, want %q", script, c.undone, told)
		}
	}
	if after := listing(t, base); after != before {
		t.Errorf("got\n%swant\n%s", after, before)
	}
}

// TestKeeperOfAuthors: a command of a workflow's author that is kept has failed by what
// was undone, and leaves nothing running that could do it again.
func TestKeeperOfAuthors(t *testing.T) {
	if err := Sandboxes(); err != nil {
		t.Skipf("SKIPPED: %v", err)
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	lock := filepath.Join(root, "flow.lock")
	must(t, os.WriteFile(lock, []byte("locked\n"), 0o644))
	_, err = Run(t.Context(), Command{
		Script: "echo x >flow.lock; (while :; do echo x >flow.lock; done) >/dev/null 2>&1 &", Dir: root, Env: Environment(nil, os.LookupEnv),
		Sandbox: &Sandbox{Write: []string{root}, Keeper: &Keeper{Root: root, Files: func() []string { return []string{lock} }}},
	})
	if unheld := (*HeldError)(nil); !errors.As(err, &unheld) || !strings.Contains(unheld.Message, "flow.lock") {
		t.Errorf("got %v", err)
	}
	if text, err := os.ReadFile(lock); string(text) != "locked\n" {
		t.Errorf("the lock has %q, %v", text, err)
	}
}

func git(t *testing.T, root string) {
	t.Helper()
	if out, err := exec.Command("git", "init", "-q", root).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: git: %v %s", err, out)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// listing is all that never changes, with its modes.
func listing(t *testing.T, root string) string {
	t.Helper()
	out, err := exec.Command("bash", "-c", `cd "$1"; for f in .git/config .git/commondir $(find .git/hooks .git/info flow.yaml out .flow flow.lock flow_vendor prompts/a/b.md 2>/dev/null | sort; find .git/modules .git/objects/info -type f 2>/dev/null); do
		[ -e $f ] && stat -c '%n %A' $f && [ -f $f ] && sha1sum < $f; done; readlink .git .git/hooks prompts; true`, "x", root).CombinedOutput()
	must(t, err)
	return string(out)
}

// TestKeeperFollowsNoLink: what another command puts in the place of a file or a folder
// while they are looked at, and put back, leads nowhere.
func TestKeeperFollowsNoLink(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	root, file, secret := filepath.Join(dir, "ws"), filepath.Join(dir, "ws", "file"), filepath.Join(dir, "out", "hooks")
	must(t, errors.Join(os.Mkdir(root, 0o755), os.Mkdir(filepath.Dir(secret), 0o755), os.WriteFile(file, []byte("text"), 0o644), os.WriteFile(secret, []byte("secret"), 0o644)))
	found, err := os.Lstat(file)
	must(t, err)
	if text := readSame(file, found); string(text) != "text" {
		t.Errorf("read %q", text)
	}
	for _, swap := range []func() error{
		func() error { return os.Symlink(secret, file) }, func() error { return unix.Mkfifo(file, 0o644) }, func() error { return os.WriteFile(file, []byte("other"), 0o644) },
	} {
		must(t, errors.Join(os.Rename(file, file+"~"), swap()))
		if text := readSame(file, found); text != nil {
			t.Errorf("read %q in its place", text)
		}
		must(t, os.Rename(file+"~", file))
	}
	must(t, os.Symlink(filepath.Dir(secret), filepath.Join(root, "link")))
	k := &Keeper{Root: root}
	for _, do := range []func(*os.Root, string) error{(*os.Root).RemoveAll, snapshot{text: []byte("x")}.putBack} {
		if err := k.within(filepath.Join(root, "link", "hooks"), do); err == nil {
			t.Error("it followed the link")
		}
	}
	if text, err := os.ReadFile(secret); string(text) != "secret" {
		t.Errorf("%q, %v", text, err)
	}
}
