package held

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestMemory: a command that takes too much memory ends, with all that it has
// started: by one process, by many, and by temporary files.
func TestMemory(t *testing.T) {
	f := newFixture(t, SpaceOptions{})
	f.run.bounds.Memory = 200 << 20
	hog := "import time; x = bytearray(%s << 20); time.sleep(20)"
	tests := []struct{ name, script, want string }{
		{"one", "python3 -c '" + strings.Replace(hog, "%s", "300", 1) + "'", "more than 200 MiB"},
		{"many", "for i in 1 2 3 4 5 6; do python3 -c '" + strings.Replace(hog, "%s", "50", 1) + "' & done; wait", "more than 200 MiB"},
		{"files", "for f in /tmp/x /dev/shm/x /var/tmp/x; do head -c 80M /dev/zero > $f; done; sleep 20", "more than 200 MiB"},
		{"enough", "head -c 100M /dev/zero > /tmp/x; sleep 0.2; echo done", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			v, cmd, out := f.begin(Call{}, test.script)
			defer v.Close()
			_ = cmd.Wait()
			e, ok, err := v.Exit()
			if !ok || err != nil || !strings.Contains(e.Why, test.want) || test.want == "" && (e.Why != "" || e.Code != 0) || test.want != "" && e.Signal != "SIGKILL" {
				t.Errorf("%+v %v %v\n%s", e, ok, err, out)
			}
		})
	}
}

// TestBlind: a command that keeps its first process from looking at what it uses ends.
func TestBlind(t *testing.T) {
	f := newFixture(t, SpaceOptions{})
	v, cmd, out := f.begin(Call{}, "prlimit --pid 1 --nofile=0 && sleep 20")
	defer v.Close()
	_ = cmd.Wait()
	if e, ok, err := v.Exit(); !ok || err != nil || e.Why == "" && e.Code == 0 {
		t.Errorf("%+v %v %v\n%s", e, ok, err, out)
	}
}

// TestFullDisk: a command that fills the disk ends before it is full.
func TestFullDisk(t *testing.T) {
	needHeld(t)
	disk := realDir(t)
	if err := unix.Mount("tmpfs", disk, "tmpfs", 0, "size=300m"); err != nil {
		t.Skipf("A FULL DISK WAS NOT TRIED: %v", err)
	}
	defer func() { _ = unix.Unmount(disk, unix.MNT_DETACH) }()
	f := &fixture{t: t, root: filepath.Join(disk, "work"), home: realDir(t)}
	must(t, os.Mkdir(f.root, 0o755))
	run, err := Open(Options{Home: f.home, Lookup: f.lookup, Base: filepath.Join(disk, "store")})
	must(t, err)
	defer run.Close()
	f.run = run
	if f.space, err = run.Space(SpaceOptions{Root: f.root}); err != nil {
		t.Skipf("A FULL DISK WAS NOT TRIED: %v", err)
	}
	v, cmd, _ := f.begin(Call{}, "for i in 1 2 3 4 5 6 7 8; do head -c 10M /dev/zero > f$i; done; sleep 20")
	defer v.Close()
	_ = cmd.Wait()
	if e, _, _ := v.Exit(); !strings.Contains(e.Why, "free on the disk") {
		t.Errorf("%+v", e)
	}
	if o, err := v.Land(anything, false); err != nil || o.Landed == 0 {
		t.Errorf("%+v %v", o, err) // it is judged as what any command did that ended early
	}
	if out, err := exec.Command("ls", f.root).Output(); err != nil || !strings.Contains(string(out), "f1") {
		t.Errorf("%s %v", out, err)
	}
}
