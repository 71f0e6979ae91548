package held

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const (
	killedFiles = 24
	killedSize  = 50_000
)

// TestKilledAtAnyTime kills this program while its commands run and while what they
// did lands, by renaming and by copying. Nothing runs on and nothing is mounted; the
// next run finds each landing done as a whole or not at all, and removes the rest.
func TestKilledAtAnyTime(t *testing.T) {
	needHeld(t)
	kills := 32 // of each kind
	if testing.Short() || os.Getenv("FLOW_HELD_CLOSED") != "" {
		kills = 6
	}
	other, err := os.MkdirTemp("/dev/shm", "flow-held-test-")
	if err != nil {
		t.Logf("LANDING BY COPY WAS NOT TRIED: %v", err)
	}
	defer os.RemoveAll(other)
	k := &killing{t: t, home: realDir(t), mark: fmt.Sprintf("9%d", os.Getpid())}
	for name, base := range map[string]string{"renamed": filepath.Join(realDir(t), "store"), "copied": filepath.Join(other, "store")} {
		k.root, k.base, k.cut = realDir(t), base, 0
		for i := range kills {
			// Half of them while a command runs, half while it lands.
			at, delay := "begun", time.Duration(i)*2*time.Millisecond
			if i%2 == 1 {
				at, delay = "lands", time.Duration(i)*time.Duration(i)*8*time.Microsecond
			}
			k.kill(at, delay)
			k.check(fmt.Sprintf("%s, killed %v after %s", name, delay, at))
			if t.Failed() {
				return
			}
		}
		t.Logf("%s: %d kills, %d of them cut off a landing", name, kills, k.cut)
	}
}

// A killing is one program after the other that is killed in a workspace.
type killing struct {
	t                      *testing.T
	home, root, base, mark string
	cut                    int // landings that were cut off
}

// kill starts the program, and kills it some time after it has printed a word.
func (k *killing) kill(word string, delay time.Duration) {
	k.t.Helper()
	cmd := exec.Command("/proc/self/exe", "-test.run=^TestKilledAgainChild$")
	cmd.Env = append(os.Environ(), "FLOW_HELD_AGAIN="+k.root, "FLOW_HELD_BASE="+k.base, "FLOW_HELD_MARK="+k.mark, "FLOW_HELD_WORD="+word, "HOME="+k.home)
	out, err := cmd.StdoutPipe()
	must(k.t, err)
	must(k.t, cmd.Start())
	for lines := bufio.NewScanner(out); ; {
		if !lines.Scan() {
			k.t.Fatal("it has ended by itself")
		}
		if lines.Text() == word {
			break
		}
	}
	time.Sleep(delay)
	must(k.t, cmd.Process.Kill())
	_ = cmd.Wait()
}

// awaitEnd waits until no process has a text in its command line: a kill takes its time. What runs
// on holds up the test until that is ended.
func awaitEnd(command string) {
	for {
		if left, _ := exec.Command("pgrep", "-f", command).Output(); len(left) == 0 {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func (k *killing) check(when string) {
	k.t.Helper()
	awaitEnd("sleep " + k.mark)
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	must(k.t, err)
	if bytes.Contains(mounts, []byte(k.root)) || bytes.Contains(mounts, []byte(k.base)) {
		k.t.Fatalf("%s: mounts are left:\n%s", when, mounts)
	}
	plans, _ := filepath.Glob(filepath.Join(k.base, "run-*", "call-*", planFile))
	k.cut += len(plans)
	// What was about to become a command may hold the lock of its run for a moment.
	for ; ; time.Sleep(5 * time.Millisecond) {
		run, err := Open(Options{Home: k.home, Base: k.base})
		must(k.t, err)
		_, err = run.Space(SpaceOptions{Root: k.root})
		must(k.t, err)
		left, _ := filepath.Glob(filepath.Join(k.base, "run-*"))
		must(k.t, run.Close())
		if len(left) == 1 { // the new one
			break
		}
	}
	k.checkFiles(when)
}

// checkFiles reads what has landed: it is of one command, and whole.
func (k *killing) checkFiles(when string) {
	entries, err := os.ReadDir(k.root)
	must(k.t, err)
	if len(entries) != 0 && len(entries) != killedFiles {
		k.t.Errorf("%s: there are %d files", when, len(entries))
	}
	first := ""
	for _, entry := range entries {
		text, err := os.ReadFile(filepath.Join(k.root, entry.Name()))
		must(k.t, err)
		if first == "" {
			first = string(text)
		}
		if len(text) != killedSize+1 || string(text) != first || strings.HasPrefix(entry.Name(), ".") {
			k.t.Fatalf("%s: %s has %d bytes, which end with %.20q, and the first one has %.20q", when, entry.Name(), len(text), text[max(0, len(text)-20):], first[len(first)-20:])
		}
	}
}

// TestKilledAgainChild is the program that is killed: one command after the other
// writes all files anew.
func TestKilledAgainChild(t *testing.T) {
	root := os.Getenv("FLOW_HELD_AGAIN")
	if root == "" {
		t.Skip("it is run by TestKilledAtAnyTime")
	}
	run, err := Open(Options{Base: os.Getenv("FLOW_HELD_BASE"), Home: os.Getenv("HOME")})
	must(t, err)
	space, err := run.Space(SpaceOptions{Root: root})
	must(t, err)
	for {
		v, err := space.Begin(Call{})
		must(t, err)
		write := fmt.Sprintf("x=$(printf %%0%dd %d); for i in {1..%d}; do echo $x > f$i; done", killedSize, time.Now().UnixNano(), killedFiles)
		if os.Getenv("FLOW_HELD_WORD") == "begun" {
			write = "setsid sleep " + os.Getenv("FLOW_HELD_MARK") + " & " + write
		}
		cmd := exec.Command("bash", "-c", write)
		cmd.Dir = root
		cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: unix.SIGKILL}
		must(t, v.Wrap(cmd))
		fmt.Println("begun")
		must(t, cmd.Run())
		fmt.Println("lands")
		if o, err := v.Land(anything, false); err != nil || o.Landed != killedFiles {
			t.Fatalf("%+v %v", o, err)
		}
		must(t, v.Close())
	}
}
