package held

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

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
