package shell_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/tools/shell"
)

// sandboxed runs a script in a sandbox and returns what it printed.
func sandboxed(t *testing.T, s *shell.Sandbox, dir, script string) (string, shell.Exit) {
	t.Helper()
	if err := shell.Sandboxes(); err != nil {
		t.Skipf("SKIPPED: %v", err)
	}
	var out bytes.Buffer
	exit, err := shell.Run(context.Background(), shell.Command{
		Args: []string{"bash", "-c", script}, Dir: dir, Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "LC_ALL=C"},
		Stdout: &out, Stderr: &out, Untrusted: true, Sandbox: s,
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), exit
}

func TestSandboxWrites(t *testing.T) {
	dir := t.TempDir()
	docs, file := filepath.Join(dir, "docs"), filepath.Join(dir, "one.txt")
	if err := os.MkdirAll(filepath.Join(docs, "deep"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{file, filepath.Join(dir, "two.txt")} {
		if err := os.WriteFile(name, []byte("before"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	box := &shell.Sandbox{Write: []string{docs, file, filepath.Join(dir, "missing")}}
	for _, c := range []struct {
		script string
		works  bool
	}{
		{"cat two.txt >/dev/null", true},
		{"echo x > docs/a.md", true},
		{"echo x > docs/deep/b.md && mv docs/deep/b.md docs/c.md && rm docs/c.md", true},
		{"mkdir docs/new && rmdir docs/new", true},
		{"echo after > one.txt", true},
		{"python3 -c 'open(\"docs/p\", \"w\").write(\"x\")'", true},
		{"echo x > two.txt", false},
		{": >> two.txt", false},
		{"truncate -s 0 two.txt", false},
		{"rm two.txt", false},
		{"rm one.txt", false},
		{"echo x > new.txt", false},
		{"mkdir new", false},
		{"ln -s ../two.txt docs/link && echo x > docs/link", false},
		{"ln two.txt docs/hard", false},
		{"mv two.txt docs/", false},
		{"sh -c 'setsid sh -c \"echo x > two.txt\"'", false},
		{"python3 -c 'open(\"two.txt\", \"w\").write(\"x\")'", false},
		{"echo 0 > /proc/self/oom_score_adj", false},
		{"kill -0 $PPID", false},
	} {
		t.Run(c.script, func(t *testing.T) {
			out, exit := sandboxed(t, box, dir, c.script)
			if (exit.Code == 0) != c.works {
				t.Errorf("exit code %d, printed %q", exit.Code, out)
			}
			if text, err := os.ReadFile(filepath.Join(dir, "two.txt")); string(text) != "before" {
				t.Errorf("two.txt holds %q, %v", text, err)
			}
		})
	}
}

// TestSandboxStaysInside shows that what is done to a thread for a command does
// not reach this program, nor the next command.
func TestSandboxStaysInside(t *testing.T) {
	dir := t.TempDir()
	for range 20 {
		if out, exit := sandboxed(t, &shell.Sandbox{Offline: true}, dir, "echo x > file"); exit.Code == 0 {
			t.Fatalf("the sandbox let it write: %q", out)
		}
		if err := os.WriteFile(filepath.Join(dir, "ours"), []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
		if out, exit := sandboxed(t, nil, dir, "echo x > theirs"); exit.Code != 0 {
			t.Fatalf("without a sandbox: %q", out)
		}
	}
}

// TestSandboxAbstractSocket: a service that listens at a name and not in a file is
// out of reach of a command in a sandbox.
func TestSandboxAbstractSocket(t *testing.T) {
	name := fmt.Sprintf("@flow-test-%d", os.Getpid())
	listener, err := net.Listen("unix", name)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	script := fmt.Sprintf("python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect(\"\\0%s\")'", name[1:])
	for _, box := range []*shell.Sandbox{nil, {}} {
		out, exit := sandboxed(t, box, t.TempDir(), script)
		if (exit.Code == 0) != (box == nil) {
			t.Errorf("in %v: exit code %d, printed %q", box, exit.Code, out)
		}
	}
}

func TestSandboxOffline(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	connect := "exec 3<>/dev/tcp/127.0.0.1/" + strings.TrimPrefix(listener.Addr().String(), "127.0.0.1:")
	for _, c := range []struct {
		name, script string
		offline      bool
		works        bool
	}{
		{"tcp", connect, false, true},
		{"tcp, offline", connect, true, false},
		{"udp, offline", "echo x > /dev/udp/127.0.0.1/53", true, false},
		{"unix, offline", "python3 -c 'import socket; socket.socketpair(); socket.socket(socket.AF_UNIX)'", true, true},
		{"raw, offline", "python3 -c 'import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW)'", true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, exit := sandboxed(t, &shell.Sandbox{Offline: c.offline}, t.TempDir(), c.script)
			if (exit.Code == 0) != c.works {
				t.Errorf("exit code %d, printed %q", exit.Code, out)
			}
		})
	}
}

// TestSandboxUnread: what is not to be read is not, by links and in folders too; all
// around it is.
func TestSandboxUnread(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".ssh/id_rsa", ".ssh/config", ".config/gh/hosts.yml", ".config/gh/deep/x", ".config/git/config", "open"} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte("x"), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(".ssh", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	box := &shell.Sandbox{Write: []string{dir}, Unread: []string{filepath.Join(dir, ".ssh/id_rsa"), filepath.Join(dir, ".config/gh")}}
	for file, works := range map[string]bool{
		".ssh/id_rsa": false, "link/id_rsa": false, ".config/gh/hosts.yml": false, ".config/gh/deep/x": false,
		".ssh/config": true, "link/config": true, ".config/git/config": true, "open": true, "/proc/self/status": true, "/etc/passwd": true,
	} {
		if out, exit := sandboxed(t, box, dir, "cat "+file+" >/dev/null && ls .config/gh"); (exit.Code == 0) != works {
			t.Errorf("%s: exit code %d, printed %q", file, exit.Code, out)
		}
	}
}

// TestSandboxUnreadStays: what is not to be read gets no other name, by which the next
// command could read it.
func TestSandboxUnreadStays(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(dir, ".m2", "settings.xml")
	if err := errors.Join(os.MkdirAll(filepath.Join(dir, ".m2", "repository"), 0o755), os.WriteFile(secret, []byte("secret"), 0o644)); err != nil {
		t.Fatal(err)
	}
	box := &shell.Sandbox{Write: []string{dir}, Unread: []string{secret}}
	for _, script := range []string{
		"mv .m2/settings.xml .m2/x", "ln .m2/settings.xml .m2/x", "mv .m2/settings.xml .m2/repository/x", "ln .m2/settings.xml .m2/repository/x", "mv .m2 m",
	} {
		sandboxed(t, box, dir, script)
		if out, _ := sandboxed(t, box, dir, "cat .m2/* .m2/repository/* m/* 2>/dev/null"); out != "" {
			t.Errorf("%s: the next command reads %q", script, out)
		}
	}
	if out, exit := sandboxed(t, box, dir, "echo x > .m2/repository/a && mv .m2/repository/a .m2/repository/b && rm .m2/repository/b"); exit.Code != 0 {
		t.Errorf("beside it: %s", out)
	}
}

// TestSandboxFollowsNoLink: a link that a command has put in the place of a folder that
// another one may change, or read, opens nothing where it leads.
func TestSandboxFollowsNoLink(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	docs, elsewhere := filepath.Join(dir, "ws", "docs"), filepath.Join(dir, "elsewhere")
	if err := errors.Join(os.MkdirAll(filepath.Dir(docs), 0o755), os.Mkdir(elsewhere, 0o755), os.Symlink(elsewhere, docs)); err != nil {
		t.Fatal(err)
	}
	for _, open := range []string{docs, filepath.Join(docs, "deep")} {
		if out, exit := sandboxed(t, &shell.Sandbox{Write: []string{open}}, dir, "mkdir -p ws/docs/deep; echo x > ws/docs/deep/a || echo x > ws/docs/a"); exit.Code == 0 {
			t.Errorf("%s: it wrote %s", open, out)
		}
		if err := os.MkdirAll(filepath.Join(elsewhere, "deep"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}
