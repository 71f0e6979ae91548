package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/a-seed-11b9befa/flow/tools/shell/held"
)

// TestHeldKilled kills the program itself, while a held command runs and while what it
// did lands. No process and no mount is left, and the next run finds all of a landing or
// nothing, each file whole, and removes the rest.
func TestHeldKilled(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("thousands of files land several times")
	}
	if err := held.Available(); err != nil {
		t.Skipf("SKIPPED: %v", err)
	}
	flow, err := exec.LookPath("flow")
	check(t, err)
	base, err := filepath.EvalSymlinks(t.TempDir())
	check(t, err)
	s := stage{base: base, level: findingLevel{program: flow}}
	for _, dir := range []string{"work", "home", "tmp"} {
		check(t, os.Mkdir(filepath.Join(base, dir), 0o700))
	}
	const files = 3000
	cut := 0
	for round, when := range []string{"runs", "lands", "runs", "lands", "lands"} {
		seen, last := "tmp/flow-held-*/run-*/call-*/0-upper/", "sleep "+markOf(base)
		if when == "lands" {
			seen, last = "work/", "setsid "+last+" &"
		}
		s.workflow(t, fmt.Sprintf(`seq %d | awk '{ f = "r%d-" $1; print %d, $1 > f; close(f) }'; %s`, files, round, round, last))
		cmd := s.command(flow, "run", "flow.yaml", "--run-dir", filepath.Join(base, fmt.Sprint("run-", round)))
		check(t, cmd.Start())
		s.await(t, "it "+when, func() bool {
			found, _ := filepath.Glob(filepath.Join(base, seen+fmt.Sprintf("r%d-1", round)))
			return len(found) > 0
		})
		check(t, cmd.Process.Kill())
		_ = cmd.Wait()
		s.await(t, "nothing of it is left to run", func() bool {
			left, _ := exec.Command("pgrep", "-f", markOf(base)).Output()
			mounts, _ := exec.Command("sh", "-c", "cat /proc/[0-9]*/mountinfo").Output()
			return len(left) == 0 && !strings.Contains(string(mounts), base)
		})
		plans, _ := filepath.Glob(filepath.Join(base, "tmp/flow-held-*/run-*/call-*/landing.json"))
		cut += len(plans)

		s.workflow(t, "true")
		if out, err := s.run(flow, "run", "flow.yaml", "--run-dir", filepath.Join(base, fmt.Sprint("next-", round))); err != nil {
			t.Fatalf("%v %s", err, out)
		}
		if left, err := exec.Command("find", filepath.Join(base, "home"), "!", "-type", "d").Output(); err != nil || len(left) > 0 {
			t.Errorf("killed while it %s: left at home: %s %v", when, left, err)
		}
		entries, err := os.ReadDir(filepath.Join(base, "work"))
		check(t, err)
		landed := 0
		for _, entry := range entries {
			text, err := os.ReadFile(filepath.Join(base, "work", entry.Name()))
			check(t, err)
			var by, number int
			n, _ := fmt.Sscanf(entry.Name(), "r%d-%d", &by, &number)
			if n == 2 && string(text) == fmt.Sprintf("%d %d\n", by, number) {
				landed++
			} else if entry.Name() != "flow.yaml" {
				t.Errorf("killed while it %s: %s has %q", when, entry.Name(), text)
			}
			if n == 2 {
				check(t, os.Remove(filepath.Join(base, "work", entry.Name())))
			}
		}
		if want := map[string]int{"runs": 0, "lands": files}[when]; landed != want {
			t.Errorf("killed while it %s: %d files have landed, not %d", when, landed, want)
		}
	}
	t.Logf("%d landings were cut off", cut)
}

// workflow writes one that runs a command.
func (s stage) workflow(t *testing.T, command string) {
	t.Helper()
	text := fmt.Sprintf("name: killed\npermissions: {bash: allow}\nsteps:\n  - {tool: bash, with: {description: x, command: %q}}\n", command)
	check(t, os.WriteFile(filepath.Join(s.base, "work", "flow.yaml"), []byte(text), 0o600))
}

// await waits until something holds.
func (s stage) await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("in vain: %s", what)
		}
	}
}
