package journal

import (
	"bufio"
	"errors"
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

func mkfifo(path string) error { return unix.Mkfifo(path, 0o600) }

// child is what the test's program does as another process.
func child(work string) int {
	dir := os.Getenv("FLOW_TEST_JOURNAL_DIR")
	j, err := Open(dir, Options{})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	switch work {
	case "hold":
		fmt.Println("ready")
		time.Sleep(time.Minute)
	case "write":
		for i := 0; ; i++ {
			if err := j.Append(said(fmt.Sprint(i, strings.Repeat(" ", i*37%3000)))); err != nil {
				return 1
			}
			fmt.Println(i)
		}
	case "fill":
		return fill(j)
	}
	return 0
}

// fill writes to a disk that is full, which then is no longer.
func fill(j *Journal) int {
	limit := unix.Rlimit{Cur: 10_000, Max: unix.RLIM_INFINITY}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
		fmt.Println(err)
		return 1
	}
	var full error
	for i := 0; i < 10 && full == nil; i++ {
		full = j.Append(said(strings.Repeat("x", 3000)))
	}
	fmt.Println("full:", full)
	limit.Cur = unix.RLIM_INFINITY
	err := errors.Join(unix.Setrlimit(unix.RLIMIT_FSIZE, &limit), j.Append(said("there is room again")), j.Close())
	fmt.Println("then:", err)
	return 0
}

func start(t *testing.T, work, dir string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), "FLOW_TEST_JOURNAL="+work, "FLOW_TEST_JOURNAL_DIR="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd, bufio.NewScanner(out)
}

func TestOneProcessAtATime(t *testing.T) {
	j, dir := begin(t, Options{})
	shut(t, j)
	cmd, out := start(t, "hold", dir)
	if !out.Scan() || out.Text() != "ready" {
		t.Fatalf("the other process says %q", out.Text())
	}
	_, err := Open(dir, Options{})
	var locked *Locked
	host, _ := os.Hostname()
	if !errors.As(err, &locked) || locked.PID != cmd.Process.Pid || locked.Host != host || time.Since(locked.Since) > time.Minute {
		t.Errorf("got %v, want the process %d", err, cmd.Process.Pid)
	}
	if want := fmt.Sprintf("process %d on", cmd.Process.Pid); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
	if all, err := readAll(t, dir); err != nil || len(all) != 1 {
		t.Errorf("it can't be read meanwhile: %d records, %v", len(all), err)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if j, err = Open(dir, Options{}); err != nil {
		t.Fatalf("after its death: %v", err)
	}
	shut(t, j)
}

// A record that Append has returned for is there, however the process dies.
func TestAKilledProcessLosesNothing(t *testing.T) {
	j, dir := begin(t, Options{})
	shut(t, j)
	known := 1
	for round := range 5 {
		cmd, out := start(t, "write", dir)
		for i := 0; i < 50*(round+1) && out.Scan(); i++ {
			known++
		}
		if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		for out.Scan() {
			known++
		}
		_ = cmd.Wait()
		all, err := readAll(t, dir)
		if err != nil || len(all) < known || len(all) > known+1 {
			t.Fatalf("round %d: %d records of %d, %v", round, len(all), known, err)
		}
		known = len(all)
	}
}

func TestAFullDiskLosesNothing(t *testing.T) {
	j, dir := begin(t, Options{})
	shut(t, j)
	cmd, out := start(t, "fill", dir)
	var said []string
	for out.Scan() {
		said = append(said, out.Text())
	}
	_ = cmd.Wait()
	if len(said) != 2 || !strings.Contains(said[0], "file too large") || said[1] != "then: <nil>" {
		t.Fatalf("%q", said)
	}
	if all, err := readAll(t, dir); err != nil || len(all) != 5 {
		t.Errorf("%d records, %v", len(all), err)
	}
}

// What a killed process leaves its lock to for an instant, a child that has not executed its
// program yet, keeps nobody out.
func TestALockIsTriedAgain(t *testing.T) {
	j, dir := begin(t, Options{})
	shut(t, j)
	locked, err := os.Open(filepath.Join(dir, File))
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Flock(int(locked.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(50*time.Millisecond, func() { locked.Close() })
	if j, err = Open(dir, Options{}); err != nil {
		t.Fatalf("while the lock is released: %v", err)
	}
	shut(t, j)
}
