package held

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestNothingIsLeft: a run leaves no files in a home folder that was empty, and nothing beside
// the workspace; what somebody has put there meanwhile stays.
func TestNothingIsLeft(t *testing.T) {
	f := newFixture(t, SpaceOptions{})
	must(t, f.run.Close())
	beside := filepath.Join(filepath.Dir(f.root), ".flow-held")
	must(t, os.MkdirAll(beside, 0o700)) // by a run that was killed at its start
	one, two := f.open(Options{}), f.open(Options{})
	for _, f.run = range []*Run{one, two} {
		f.space = f.newSpace(SpaceOptions{Root: f.root})
		if _, out := f.do(Call{}, "echo x > ~/.cache/x && cat ~/.cache/x", anything, false); out != "x\n" {
			t.Error(out)
		}
	}
	must(t, one.Close())
	if _, out := f.do(Call{}, "cat ~/.cache/x", anything, false); out != "x\n" {
		t.Errorf("a run has lost its cache when another one ended: %s", out)
	}
	must(t, f.space.run.Close())
	if left := listed(t, f.home); left != "" {
		t.Errorf("left at home: %s", left)
	}
	if _, err := os.Lstat(beside); err == nil {
		t.Errorf("%s is left", beside)
	}
	f.run = f.open(Options{})
	f.space = f.newSpace(SpaceOptions{Root: f.root})
	f.write(map[string]string{"~/.cache/mine": "x"})
	must(t, f.run.Close())
	if left := listed(t, f.home); left != ".cache/mine" {
		t.Errorf("left at home: %s", left)
	}
}

// listed are the files.
func listed(t *testing.T, folder string) string {
	t.Helper()
	out, err := exec.Command("find", folder, "!", "-type", "d", "-printf", "%P ").CombinedOutput()
	must(t, err)
	return strings.TrimSpace(string(out))
}

// TestKilledAtStart kills a program while it makes what its commands need. The next
// run removes all of it.
func TestKilledAtStart(t *testing.T) {
	needHeld(t)
	root, home := realDir(t), realDir(t)
	for i := range 30 {
		cmd := exec.Command("/proc/self/exe", "-test.run=^TestKilledAgainChild$")
		cmd.Env = append(os.Environ(), "FLOW_HELD_AGAIN="+root, "FLOW_HELD_BASE=", "HOME="+home)
		must(t, cmd.Start())
		time.Sleep(time.Duration(i) * time.Millisecond)
		must(t, cmd.Process.Kill())
		_ = cmd.Wait()
	}
	must(t, os.RemoveAll(root)) // what was landing when it was killed
	must(t, os.Mkdir(root, 0o755))
	for ; ; time.Sleep(20 * time.Millisecond) { // a kill takes its time
		run, err := Open(Options{Home: home})
		must(t, err)
		_, err = run.Space(SpaceOptions{Root: root})
		must(t, err)
		must(t, run.Close())
		left := listed(t, home)
		beside, _ := filepath.Glob(filepath.Join(filepath.Dir(root), ".flow-held*"))
		if left == "" && len(beside) == 0 {
			break
		}
	}
}
