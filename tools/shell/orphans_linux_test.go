package shell_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sourcegraph/conc"

	"github.com/a-seed-11b9befa/flow/tools/shell"
)

// adopting runs an untrusted command in a program that adopts, as this one then
// does for good.
func adopting(t *testing.T, script string) string {
	t.Helper()
	shell.ReapOrphans()
	return untrusted(t, script)
}

func untrusted(t *testing.T, script string) string {
	t.Helper()
	var out bytes.Buffer
	_, err := shell.Run(context.Background(), shell.Command{
		Args: []string{"bash", "-c", script}, Env: []string{"PATH=" + os.Getenv("PATH")},
		Stdout: &out, Stderr: &out, Untrusted: true,
	})
	if err != nil {
		t.Error(err)
	}
	return out.String()
}

// alive reports whether a process runs; one that has only not been waited for
// does not.
func alive(pid string) bool {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	_, after, _ := strings.Cut(string(stat), ") ")
	return err == nil && !strings.HasPrefix(after, "Z")
}

func TestNothingOutlivesAnUntrustedCommand(t *testing.T) {
	for name, script := range map[string]string{
		"in the background":    `sleep 300 & echo $!`,
		"a group of its own":   `timeout 300 sleep 300 & sleep 0.1; pgrep -P $! ; echo $!`,
		"a session":            `setsid sleep 300 & sleep 0.1; echo $!`,
		"a daemon":             `setsid sh -c 'setsid sleep 300 & echo $!' & sleep 0.2`,
		"an empty environment": `env -i "$(command -v setsid)" "$(command -v sleep)" 300 >/dev/null 2>&1 & sleep 0.1; echo $!`,
		"a family":             `setsid sh -c 'for i in 1 2 3 4 5; do setsid sleep 300 & echo $!; done; wait' & sleep 0.3`,
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			pids := strings.Fields(adopting(t, script))
			if len(pids) == 0 {
				t.Fatal("the script started nothing")
			}
			for _, pid := range pids {
				if _, err := strconv.Atoi(pid); err != nil || alive(pid) {
					t.Errorf("process %s lives on", pid)
				}
			}
			t.Logf("%d processes ended after %v", len(pids), time.Since(start))
		})
	}
}

// TestHostKeepsItsOwn runs untrusted commands in a program that has chosen nothing:
// what it starts itself in another session lives on, and the commands' groups end.
func TestHostKeepsItsOwn(t *testing.T) {
	if os.Getenv("SHELL_TEST_HOST") == "" {
		host := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
		host.Env = append(os.Environ(), "SHELL_TEST_HOST=1")
		if out, err := host.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	own := exec.Command("sleep", "300")
	own.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	var out bytes.Buffer
	_, err := shell.Run(context.Background(), shell.Command{
		Args: []string{"bash", "-c", "timeout 300 sleep 300 & sleep 0.1; pgrep -P $!; echo $!"}, Env: []string{"PATH=" + os.Getenv("PATH")},
		Stdout: io.MultiWriter(&out, &once{do: own.Start}), Untrusted: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	pids := strings.Fields(out.String())
	if !alive(strconv.Itoa(own.Process.Pid)) {
		t.Error("the host's own process has ended")
	}
	if err := own.Process.Kill(); err != nil {
		t.Error(err)
	}
	if err := own.Wait(); err == nil || err.Error() != "signal: killed" {
		t.Errorf("its status: %v", err)
	}
	if len(pids) != 2 {
		t.Fatalf("the script started %v", pids)
	}
	for _, pid := range pids {
		if alive(pid) {
			t.Errorf("process %s lives on", pid)
		}
	}
}

// once does something at the first write.
type once struct {
	do   func() error
	done bool
}

func (o *once) Write(p []byte) (int, error) {
	if o.done {
		return len(p), nil
	}
	o.done = true
	return len(p), o.do()
}

// TestStraysOfOthersLiveOn runs commands side by side: the end of one does not
// end what another is still doing in a session of its own.
func TestStraysOfOthersLiveOn(t *testing.T) {
	var all conc.WaitGroup
	for i := range 8 {
		all.Go(func() {
			script := fmt.Sprintf(`out=$(mktemp); setsid sh -c "sleep 0.%d; echo whole > $out" & for n in $(seq 400); do test -s "$out" && break; sleep 0.05; done; cat "$out"; rm "$out"`, i)
			if out := adopting(t, script); out != "whole\n" {
				t.Errorf("command %d printed %q", i, out)
			}
		})
	}
	all.Wait()
}

// TestCommandsSideBySide starts commands while others look for their strays:
// none is taken for one before it is known.
func TestCommandsSideBySide(t *testing.T) {
	var all conc.WaitGroup
	for range 16 {
		all.Go(func() {
			for range 25 {
				if out := adopting(t, "setsid true & echo done"); out != "done\n" {
					t.Errorf("printed %q", out)
				}
			}
		})
	}
	all.Wait()
}
