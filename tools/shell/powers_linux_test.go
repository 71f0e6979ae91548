package shell_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/tools/shell"
	"golang.org/x/sys/unix"
)

// TestUntrustedCantReadOthers: the environment of a process that keeps its memory
// to itself, as flow does, is out of reach of a model's command, also for root, in
// a sandbox and without.
func TestUntrustedCantReadOthers(t *testing.T) {
	keeper := exec.Command("sleep", "60")
	keeper.Env = []string{"KEEPS=secret-of-the-keeper"}
	if err := keeper.Start(); err != nil {
		t.Fatal(err)
	}
	defer keeper.Wait()
	defer keeper.Process.Kill()
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	defer unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0)
	boxes := map[string]*shell.Sandbox{"without a sandbox": nil}
	if shell.Sandboxes() == nil {
		boxes["in a sandbox"] = &shell.Sandbox{}
	}
	for name, box := range boxes {
		t.Run(name, func(t *testing.T) {
			pids := []int{os.Getpid()}
			if box != nil {
				pids = append(pids, keeper.Process.Pid)
			}
			for _, pid := range pids {
				for _, file := range []string{"environ", "mem", "maps", "root/etc/passwd"} {
					script := fmt.Sprintf("head -c 100 /proc/%d/%s && echo read", pid, file)
					if out := runUntrusted(t, box, script); strings.Contains(out, "read\n") || strings.Contains(out, "secret-of") {
						t.Errorf("%s printed %q", script, out)
					}
				}
			}
		})
	}
}

// TestUntrustedPowers: of root's powers those that change files are left.
func TestUntrustedPowers(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("SKIPPED: only root has powers to lose")
	}
	dir := t.TempDir()
	for script, works := range map[string]bool{
		"touch " + dir + "/file && chown 65534 " + dir + "/file && echo x > " + dir + "/file": true,
		"mknod " + dir + "/disk b 8 0":       false,
		"mount -t tmpfs none " + dir:         false,
		"ulimit -f 1 && ulimit -f unlimited": false,
	} {
		if out := runUntrusted(t, nil, script+" && echo works"); strings.Contains(out, "works\n") != works {
			t.Errorf("%s printed %q", script, out)
		}
	}
	var out bytes.Buffer
	if _, err := shell.Run(context.Background(), shell.Command{Script: "mknod " + dir + "/zero c 1 5 && echo works", Env: os.Environ(), Stdout: &out}); err != nil || out.String() != "works\n" {
		t.Errorf("a trusted command: %q, %v", out.String(), err)
	}
}

func runUntrusted(t *testing.T, box *shell.Sandbox, script string) string {
	t.Helper()
	var out bytes.Buffer
	_, err := shell.Run(context.Background(), shell.Command{
		Args: []string{"bash", "-c", script}, Env: []string{"PATH=" + os.Getenv("PATH")},
		Stdout: &out, Stderr: &out, Untrusted: true, Sandbox: box,
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}
