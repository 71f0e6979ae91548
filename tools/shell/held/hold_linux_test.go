package held

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestHeld: what a command can't do, whatever it is. The script prints what it
// found, and that is compared.
func TestHeld(t *testing.T) {
	f := newFixture(t, SpaceOptions{Hidden: func(path string, folder bool) bool {
		name := filepath.Base(path)
		return name == ".env" || name == "private" && folder
	}})
	f.write(map[string]string{
		"a": "a", ".env": "KEY=secret", "deep/er/.env": "KEY=secret", "private/x/y": "secret",
		"~/.ssh/id_ed25519": "secret", "~/.ssh/id_x.pub": "public", "~/.aws/credentials": "secret", "~/.bashrc": "rc",
	})
	outside := realDir(t)
	must(t, os.Chmod(outside, 0o777))
	socket := filepath.Join("/var", fmt.Sprintf("flow-test-%d.sock", os.Getpid()))
	listener, err := net.Listen("unix", socket)
	if err == nil {
		defer listener.Close()
	} else {
		socket = "/nowhere"
	}
	abstract, err := net.Listen("unix", "@flow-held-test")
	must(t, err)
	defer abstract.Close()
	pipe := filepath.Join("/var", fmt.Sprintf("flow-test-%d.pipe", os.Getpid()))
	if err := unix.Mkfifo(pipe, 0o666); err != nil || !restricts() {
		t.Logf("A PIPE OUTSIDE WAS NOT TRIED: %v", err)
		pipe = "/nowhere"
	}
	defer os.Remove(pipe)
	relative := listenBelow(t, f.home)
	must(t, os.WriteFile("/tmp/flow-held-mark", nil, 0o600))
	defer os.Remove("/tmp/flow-held-mark")

	tests := []struct{ name, script, want string }{
		{"a secret file is empty", "cat .env deep/er/.env ~/.ssh/id_ed25519 ~/.aws/credentials; echo $?", "0"},
		{"so is a folder", "ls -A private", ""},
		{"what is no secret", "cat ~/.ssh/id_x.pub ~/.bashrc a", "publicrca"},
		{"files outside", "echo x 2>/dev/null > " + outside + "/x; ls " + outside + " 2>&1 | grep -c 'No such'; echo x 2>/dev/null >> ~/.bashrc || echo no", "1\nno"},
		{"the system", "touch /etc/x 2>&1 | tail -c 22", "Read-only file system\n"},
		{"a folder for temporary files is its own", "ls -A /tmp | grep -c mark; echo x > /tmp/x && cat /tmp/x", "0\nx"},
		{"shared memory too", "ls -A /dev/shm; echo x > /dev/shm/x && cat /dev/shm/x", "x"},
		{"terminals", "ls /dev/pts", "ptmx"},
		{"disks", "ls /dev | grep -E 'vd|sd|mem|kmsg' | wc -l", "0"},
		{"the mode of a device", "chmod 666 /dev/full 2>/dev/null || chown 0 /dev/zero 2>/dev/null || touch -h /dev/null 2>/dev/null || echo no", "no"},
		{"devices that are needed", "echo x > /dev/null; head -c 3 /dev/zero | wc -c; ls /dev/fd | head -1", "3\n0"},
		{"processes", "[ $(ls -d /proc/[0-9]* | wc -l) -lt 8 ] && echo few $PPID", "few 1"},
		{"the first process is closed", "cat /proc/1/environ /proc/1/mem 2>&1 | grep -c denied; readlink /proc/1/fd/4 /proc/1/root /proc/1/cwd || echo no", "2\nno"},
		{"arguments of flow", "cat /proc/*/cmdline | tr '\\0' ' ' | grep -c 'test[.]run'", "0"},
		{"the kernel's settings", "echo x 2>/dev/null > /proc/sys/kernel/core_pattern || echo no", "no"},
		{"a socket in a file", "python3 -c \"import socket; socket.socket(socket.AF_UNIX).connect('" + socket + "')\" 2>&1 | grep -c Error", "1"},
		{"a socket whose name is not absolute", "python3 -c \"import socket; socket.socket(socket.AF_UNIX).connect('" + relative + "')\" 2>&1 | grep -c Error", "1"},
		{"a pipe in a file", "(exec 3<>" + pipe + ") 2>/dev/null && echo open || echo no", "no"},
		{"a pipe of its own", "mkfifo /tmp/p; (echo x > /tmp/p &) ; cat /tmp/p; echo y | cat; mv /tmp/p /tmp/q && mkdir d && echo z > e && mv e d/ && ls d", "x\ny\ne"},
		{"mounts", "umount -l /tmp 2>/dev/null || mount -t tmpfs x /tmp 2>/dev/null || unshare -rm true 2>/dev/null || echo no", "no"},
		{"kept environment", "echo $TMPDIR-$HOME-$GIT_OPTIONAL_LOCKS", "-" + f.home + "-0"},
		{"the folder of runs", "ls -A " + f.run.base([]string{f.root}, nil), ""},
		{"a device is not made", "mknod d b 259 0 2>/dev/null || echo no", "no"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f.t = t
			_, got := f.do(Call{}, test.script, only(), false)
			if !strings.HasPrefix(got, test.want) || test.want == "" && strings.TrimSpace(got) != "" {
				t.Errorf("%s\ngot  %q\nwant %q", test.script, got, test.want)
			}
		})
	}
	if left, _ := os.ReadDir(outside); len(left) > 0 {
		t.Errorf("written outside: %v", left)
	}
	if text, _ := os.ReadFile(f.home + "/.bashrc"); string(text) != "rc" {
		t.Errorf("written in the home folder: %q", text)
	}
}

// restricts reports whether this kernel can keep a command from pipes.
func restricts() bool {
	version, _, err := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	return err == 0 && version >= 2
}

// listenBelow has a program listen at a socket in a folder, which it calls by a name
// that is not absolute.
func listenBelow(t *testing.T, folder string) string {
	t.Helper()
	server := exec.Command("python3", "-c", "import socket, sys\ns = socket.socket(socket.AF_UNIX)\ns.bind('sock'); s.listen(); print('ready', flush=True); sys.stdin.read()")
	server.Dir = folder
	hold, err := server.StdinPipe()
	must(t, err)
	out, err := server.StdoutPipe()
	must(t, err)
	if err := server.Start(); err != nil {
		t.Logf("no socket below: %v", err)
		return "/nowhere"
	}
	t.Cleanup(func() { hold.Close(); _ = server.Wait() })
	if _, err := out.Read(make([]byte, 6)); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(folder, "sock")
}

// TestNetwork: with no network there is one of its own.
func TestNetwork(t *testing.T) {
	f := newFixture(t, SpaceOptions{})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer listener.Close()
	script := fmt.Sprintf("(: > /dev/tcp/127.0.0.1/%d) 2>/dev/null && echo reached || echo not", listener.Addr().(*net.TCPAddr).Port)
	for offline, want := range map[bool]string{false: "reached\n", true: "not\n"} {
		if _, got := f.do(Call{Offline: offline}, script, only(), false); got != want {
			t.Errorf("offline %v: %q", offline, got)
		}
	}
}

// TestOtherSockets: no network means none to the host of a virtual machine either, nor
// by a way that goes past the filter.
func TestOtherSockets(t *testing.T) {
	f := newFixture(t, SpaceOptions{})
	script := `python3 -c '
import socket, ctypes
for family in (40, 38, 17, 2, 1):
    try: socket.socket(family, socket.SOCK_STREAM); print("yes")
    except OSError as e: print("no")
print(ctypes.CDLL(None).syscall(425, 1, ctypes.create_string_buffer(256)))'`
	if _, got := f.do(Call{Offline: true}, script, only(), false); got != "no\nno\nno\nyes\nyes\n-1\n" {
		t.Errorf("got %q", got)
	}
}

// TestOpenFiles: what this program was given open is not given to a command, which
// could go out of its view by a folder.
func TestOpenFiles(t *testing.T) {
	f := newFixture(t, SpaceOptions{})
	f.write(map[string]string{"~/secret": "secret"})
	fd, err := unix.Open(f.home, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	must(t, err)
	defer unix.Close(fd)
	if _, got := f.do(Call{}, fmt.Sprintf("cat /proc/self/fd/%d/secret 2>/dev/null || echo no; ls /proc/self/fd | wc -l", fd), only(), false); got != "no\n4\n" {
		t.Errorf("got %q", got)
	}
}

// TestExit: how a command ends is told as without a view.
func TestExit(t *testing.T) {
	f := newFixture(t, SpaceOptions{})
	for script, want := range map[string]string{"exit 7": "7 ", "kill -KILL $$": "137 SIGKILL", "kill -TERM $$": "143 SIGTERM", "true": "0 "} {
		v, cmd, _ := f.begin(Call{}, script)
		_ = cmd.Wait()
		e, ok, err := v.Exit()
		if got := fmt.Sprint(e.Code, " ", e.Signal); got != want || !ok || err != nil || cmd.ProcessState.ExitCode() != e.Code {
			t.Errorf("%s: %s %v %v %d", script, got, ok, err, cmd.ProcessState.ExitCode())
		}
		v.Close()
	}
	v, err := f.space.Begin(Call{})
	must(t, err)
	defer v.Close()
	cmd := exec.Command("/nowhere/program")
	must(t, v.Wrap(cmd))
	_ = cmd.Run()
	if _, ok, err := v.Exit(); ok || err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("a program that there is not: %v %v", ok, err)
	}
}

// TestNothingOutlives: a chain of sessions ends with its command, and a bomb of
// processes ends itself.
func TestNothingOutlives(t *testing.T) {
	f := newFixture(t, SpaceOptions{})
	name := fmt.Sprintf("3%d", os.Getpid())
	f.do(Call{}, "for i in 1 2 3 4 5; do (setsid sh -c 'setsid sleep "+name+" & setsid sleep "+name+" &' &) ; done; sleep 0.1", only(), false)
	out, _ := exec.Command("pgrep", "-f", "sleep "+name).Output()
	if len(out) > 0 {
		t.Errorf("processes are left: %s", out)
	}
}

// TestBomb: processes are bounded.
func TestBomb(t *testing.T) {
	f := newFixture(t, SpaceOptions{})
	_, got := f.do(Call{}, "for i in $(seq 6000); do sleep 1000 2>/dev/null & done 2>&1 | grep -m1 -o 'Resource temporarily unavailable'", only(), false)
	if !strings.Contains(got, "Resource temporarily unavailable") {
		t.Errorf("%q", got)
	}
}

// TestLayers: by-products stay, for the next command unless it is of git; caches, for the run.
func TestLayers(t *testing.T) {
	ignored := func() func(string, bool) bool {
		return func(rel string, _ bool) bool {
			return strings.Contains(rel, "__pycache__") || strings.HasPrefix(rel, "build")
		}
	}
	f := newFixture(t, SpaceOptions{Ignored: ignored})
	f.write(map[string]string{"~/.cache/old": "old", "a": "a"})
	f.run = f.open(Options{}) // the folder of caches is there now
	f.space = f.newSpace(SpaceOptions{Root: f.root, Ignored: ignored})
	o, out := f.do(Call{}, "mkdir -p build/x __pycache__; echo 1 > build/x/y; echo 2 > __pycache__/z; echo new > ~/.cache/new; rm ~/.cache/old; echo b > b", only("b"), false)
	if o.Note() != "" || o.Kept != 2 {
		t.Errorf("%+v %s", o, out)
	}
	if got := f.tree(); got != "a = a\nb = b\n" {
		t.Errorf("the workspace:\n%s", got)
	}
	_, got := f.do(Call{}, "cat build/x/y __pycache__/z ~/.cache/new; ls ~/.cache; rm -r build; echo 3 >> __pycache__/z", only(), false)
	if got != "1\n2\nnew\nnew\n" {
		t.Errorf("the next command: %q", got)
	}
	if _, got := f.do(Call{}, "ls; cat __pycache__/z", only(), false); got != "__pycache__\na\nb\n2\n3\n" {
		t.Errorf("the one after that: %q", got)
	}
	for _, readOnly := range []bool{false, true} {
		if _, got := f.do(Call{Git: true, ReadOnly: readOnly}, "ls", only(), false); got != "a\nb\n" {
			t.Errorf("git: %q", got)
		}
	}
	if text, _ := os.ReadFile(f.home + "/.cache/old"); string(text) != "old" {
		t.Error("the cache of the user has changed")
	}
}

// TestKeptCaches land when the run ends, also from another file system.
func TestKeptCaches(t *testing.T) {
	for _, elsewhere := range []bool{false, true} {
		f := newFixture(t, SpaceOptions{})
		f.write(map[string]string{"~/.cache/old": "old", "~/.cache/go/x": "1"})
		base := ""
		if elsewhere {
			var err error
			base, err = os.MkdirTemp("/dev/shm", "flow-held-")
			must(t, err)
			defer os.RemoveAll(base)
		}
		run, err := Open(Options{Home: f.home, Lookup: f.lookup, KeepCaches: true, Base: base})
		must(t, err)
		f.space, err = run.Space(SpaceOptions{Root: f.root})
		if err != nil && elsewhere {
			t.Skipf("ANOTHER FILE SYSTEM WAS NOT TRIED: %v", err)
		}
		must(t, err)
		f.do(Call{}, "echo 2 >> ~/.cache/go/x; mkdir -p ~/.cache/npm/z; echo 3 > ~/.cache/npm/y; ln -s ../y ~/.cache/npm/z/link", only(), false)
		must(t, run.Close())
		got, err := exec.Command("bash", "-c", "cd "+f.home+"/.cache && cat old go/x npm/y npm/z/link").Output()
		if err != nil || string(got) != "old12\n3\n3\n" {
			t.Errorf("elsewhere %v: %q %v", elsewhere, got, err)
		}
	}
}

// TestConflict: of two commands side by side that change one path, the second is
// told; what they change beside it lands.
func TestConflict(t *testing.T) {
	f := newFixture(t, SpaceOptions{})
	f.write(map[string]string{"a": "a", "b": "b"})
	run := func(script string) (*View, *exec.Cmd) { v, cmd, _ := f.begin(Call{}, script); return v, cmd }
	one, first := run("echo 1 > a; echo 1 > c")
	two, second := run("echo 2 > a; echo 2 > d")
	three, third := run("echo 3 > b")
	four, fourth := run("echo 1 > a")
	for _, cmd := range []*exec.Cmd{first, second, third, fourth} {
		must(t, cmd.Wait())
	}
	want := []string{"", "changed these files meanwhile: a", "", ""}
	for i, v := range []*View{one, two, three, four} {
		defer v.Close()
		o, err := v.Land(anything, false)
		if err != nil || want[i] == "" && o.Note() != "" || !strings.Contains(o.Note(), want[i]) {
			t.Errorf("%d: %q %v", i+1, o.Note(), err)
		}
	}
	if got := f.tree(); got != "a = 1\nb = 3\nc = 1\n" {
		t.Errorf("\n%s", got)
	}
	v, cmd := run("echo 5 > b")
	defer v.Close()
	must(t, cmd.Wait())
	time.Sleep(20 * time.Millisecond) // of the clock of the file system
	f.write(map[string]string{"b": "by somebody else"})
	if o, err := v.Land(anything, false); err != nil || len(o.Conflicts) != 1 {
		t.Errorf("%+v %v", o, err)
	}
}

// TestKilled: when this program is killed, the command and its mounts go with it,
// and the next run removes what is left and finishes what was landing.
func TestKilled(t *testing.T) {
	f := newFixture(t, SpaceOptions{})
	base := filepath.Join(f.home, "store")
	cmd := exec.Command("/proc/self/exe", "-test.run=^TestKilledChild$")
	mark := fmt.Sprintf("6%d", os.Getpid())
	cmd.Env = append(os.Environ(), "FLOW_HELD_CHILD="+f.root, "FLOW_HELD_BASE="+base, "FLOW_HELD_MARK="+mark)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	line := make([]byte, 6)
	if _, err := out.Read(line); err != nil || string(line) != "ready\n" {
		t.Fatalf("%q %v", line, err)
	}
	must(t, cmd.Process.Kill())
	_ = cmd.Wait()
	awaitEnd("sleep " + mark)
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	must(t, err)
	if bytes.Contains(mounts, []byte(f.root)) {
		t.Errorf("mounts are left:\n%s", mounts)
	}
	if f.tree() != "" {
		t.Errorf("something has landed: %s", f.tree())
	}
	// A landing that was cut off after its first step.
	left, _ := filepath.Glob(base + "/run-*/call-*")
	if len(left) == 0 {
		t.Fatal("nothing is left of the run")
	}
	up := filepath.Join(left[0], "0-upper")
	for name, content := range map[string]string{"one": "1", "two": "2", "three": "3"} {
		must(t, os.WriteFile(filepath.Join(up, name), []byte(content), 0o644))
	}
	var effects []effect
	for _, e := range []effect{
		{Change: Change{Rel: "d", Kind: Create, Folder: true}, Mode: 0o755},
		{Change: Change{Rel: "one", Kind: Create}, From: up + "/one"},
		{Change: Change{Rel: "d/two", Kind: Create}, From: up + "/two"},
		{Change: Change{Rel: "three", Kind: Modify}, From: up + "/three"},
		{Change: Change{Rel: "old", Kind: Delete}},
	} {
		e.Root = f.root
		effects = append(effects, e)
	}
	f.write(map[string]string{"old": "old", temporaryName(left[0]): "half"})
	must(t, writePlan(filepath.Join(left[0], planFile), effects))
	must(t, os.Rename(up+"/one", f.root+"/one"))
	time.Sleep(20 * time.Millisecond)
	f.write(map[string]string{"three": "the user's"})
	var finished []string
	run := f.open(Options{Base: base, Finished: func(root string) { finished = append(finished, root) }})
	_, err = run.Space(SpaceOptions{Root: f.root})
	must(t, err)
	if len(finished) != 1 || finished[0] != f.root {
		t.Errorf("it was told of %q", finished)
	}
	if got := f.tree(); got != "d/\nd/two = 2\none = 1\nthree = the user's\n" {
		t.Errorf("finished:\n%s", got)
	}
	if _, err := os.Lstat(left[0]); err == nil {
		t.Error("the folder of the killed run is still there")
	}
}

// TestKilledChild is the program that is killed.
func TestKilledChild(t *testing.T) {
	root := os.Getenv("FLOW_HELD_CHILD")
	if root == "" {
		t.Skip("it is run by TestKilled")
	}
	run, err := Open(Options{Base: os.Getenv("FLOW_HELD_BASE")})
	must(t, err)
	space, err := run.Space(SpaceOptions{Root: root})
	must(t, err)
	v, err := space.Begin(Call{})
	must(t, err)
	cmd := exec.Command("bash", "-c", "echo x > file; setsid sleep $0 & echo ready; sleep $0", os.Getenv("FLOW_HELD_MARK"))
	cmd.Dir, cmd.Stdout = root, os.Stdout
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: unix.SIGKILL}
	must(t, v.Wrap(cmd))
	must(t, cmd.Run())
}

// TestUnprivileged runs the tests of this package as a user without any power: nearly
// all of them in a program whose memory is closed to others, as that of flow is.
func TestUnprivileged(t *testing.T) {
	if os.Geteuid() != 0 || testing.Short() {
		t.Skip("only root can become somebody else; the other tests are unprivileged already")
	}
	const nobody = 65534
	folder, err := os.MkdirTemp("/var/tmp", "flow-held-test-")
	must(t, err)
	defer os.RemoveAll(folder)
	must(t, os.Chmod(folder, 0o755))
	binary, err := os.ReadFile("/proc/self/exe")
	must(t, err)
	must(t, os.WriteFile(folder+"/test", binary, 0o755))
	own := filepath.Join(folder, "tmp")
	must(t, os.Mkdir(own, 0o700))
	must(t, os.Chown(own, nobody, nobody))
	const same = "TestManyFiles|TestRandomScripts|FuzzLand" // take long, and do the same for any user
	for closed, tests := range map[string]string{"1": ".", "": "TestHeld|TestExit|TestNetwork"} {
		cmd := exec.Command(folder+"/test", "-test.v", "-test.run="+tests, "-test.skip="+same)
		cmd.Dir = own
		cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + own, "TMPDIR=" + own, "FLOW_HELD_CLOSED=" + closed}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		out, err := cmd.CombinedOutput()
		switch {
		case err != nil:
			t.Errorf("as nobody: %v\n%s", err, out)
		case bytes.Contains(out, []byte("no held commands here")):
			t.Skipf("a user without any power has no held commands here:\n%s", out)
		}
	}
}
