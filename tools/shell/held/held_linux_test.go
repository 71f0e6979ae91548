package held

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) {
	if os.Getenv("FLOW_HELD_CLOSED") != "" {
		_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	}
	os.Exit(m.Run())
}

// A fixture is a workspace with commands held in it.
type fixture struct {
	t     *testing.T
	root  string
	home  string
	run   *Run
	space *Space
}

// needHeld skips where commands can't be held, and says why.
func needHeld(t *testing.T) {
	t.Helper()
	if err := Available(); err != nil {
		t.Skipf("no held commands here: %v", err)
	}
}

func newFixture(t *testing.T, o SpaceOptions) *fixture {
	t.Helper()
	needHeld(t)
	f := &fixture{t: t, root: realDir(t), home: realDir(t)}
	f.run = f.open(Options{})
	o.Root = f.root
	f.space = f.newSpace(o)
	return f
}

func realDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func (f *fixture) open(o Options) *Run {
	f.t.Helper()
	o.Home = f.home
	if o.Lookup == nil {
		o.Lookup = f.lookup
	}
	run, err := Open(o)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() {
		if err := run.Close(); err != nil {
			f.t.Error(err)
		}
	})
	return run
}

func (f *fixture) newSpace(o SpaceOptions) *Space {
	f.t.Helper()
	space, err := f.run.Space(o)
	if err != nil {
		f.t.Fatal(err)
	}
	return space
}

func (f *fixture) lookup(name string) (string, bool) {
	switch name {
	case "HOME":
		return f.home, true
	case "PATH":
		return os.LookupEnv(name)
	}
	return "", false
}

// write makes files; a path that ends in a slash is a folder.
func (f *fixture) write(files map[string]string) {
	f.t.Helper()
	for name, content := range files {
		path := filepath.Join(f.root, name)
		if strings.HasPrefix(name, "~/") {
			path = filepath.Join(f.home, name[2:])
		}
		if strings.HasSuffix(name, "/") {
			must(f.t, os.MkdirAll(path, 0o755))
			continue
		}
		must(f.t, os.MkdirAll(filepath.Dir(path), 0o755))
		if link, ok := strings.CutPrefix(content, "-> "); ok {
			must(f.t, os.Symlink(link, path))
			continue
		}
		must(f.t, os.WriteFile(path, []byte(content), 0o644))
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// begin starts a script in a view.
func (f *fixture) begin(c Call, script string) (*View, *exec.Cmd, *bytes.Buffer) {
	f.t.Helper()
	v, err := f.space.Begin(c)
	must(f.t, err)
	cmd := exec.Command("bash", "--noprofile", "--norc", "-c", script)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + f.home, "TMPDIR=/elsewhere"}
	cmd.Dir = f.root
	must(f.t, v.Wrap(cmd))
	must(f.t, cmd.Start())
	return v, cmd, &out
}

// do runs a script and lands what it did.
func (f *fixture) do(c Call, script string, judge Judge, partial bool) (Outcome, string) {
	f.t.Helper()
	v, cmd, out := f.begin(c, script)
	defer v.Close()
	_ = cmd.Wait()
	if _, ok, err := v.Exit(); err != nil || !ok {
		f.t.Fatalf("%s\nit did not run: %v %s", script, err, out)
	}
	outcome, err := v.Land(judge, partial)
	must(f.t, err)
	return outcome, out.String()
}

// only allows what is named, and what is below a name that ends in a slash.
func only(names ...string) Judge {
	return func(c Change) (bool, string) {
		ok := slices.ContainsFunc(names, func(name string) bool {
			return c.Rel == name || strings.HasSuffix(name, "/") && strings.HasPrefix(c.Rel, name)
		})
		return ok, "no rule for " + c.Rel
	}
}

func anything(Change) (bool, string) { return true, "" }

// tree lists the files of the workspace with what is in them.
func (f *fixture) tree() string {
	f.t.Helper()
	var b strings.Builder
	must(f.t, filepath.WalkDir(f.root, func(path string, entry os.DirEntry, err error) error {
		rel, _ := filepath.Rel(f.root, path)
		switch {
		case err != nil || rel == ".":
			return err
		case entry.IsDir():
			b.WriteString(rel + "/\n")
		case entry.Type() == os.ModeSymlink:
			link, _ := os.Readlink(path)
			b.WriteString(rel + " -> " + link + "\n")
		default:
			text, err := os.ReadFile(path)
			must(f.t, err)
			b.WriteString(rel + " = " + strings.TrimSuffix(string(text), "\n") + "\n")
		}
		return nil
	}))
	return b.String()
}
