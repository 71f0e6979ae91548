package shell

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/a-seed-11b9befa/flow/tools/internal/process"
	"github.com/a-seed-11b9befa/flow/tools/shell/held"
)

// start starts the command, in its view if it has one, on a thread that has its
// restrictions.
func (c *Command) start(with given, out, errs *os.File, view *held.View) (*process.Group, error) {
	CloseInherited()
	args := c.Args
	if len(args) == 0 {
		args = scriptArgs(with.source)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = c.Dir, out, errs
	cmd.Env = append([]string{}, with.env...) // nil would inherit
	start := func() error { return c.startRestricted(cmd) }
	if view != nil {
		start = func() error { return startHeld(cmd, view) }
	}
	g, err := process.Start(cmd, process.Options{Session: true, Spoils: view == nil && (c.Sandbox != nil || c.Untrusted), Start: start})
	if err == nil {
		return g, nil
	}
	if info, dirErr := os.Stat(c.Dir); c.Dir != "" && (dirErr != nil || !info.IsDir()) {
		return nil, fmt.Errorf("command: %q is no folder to run in", c.Dir)
	}
	return nil, fmt.Errorf("command %q: %w", args[0], err)
}

// startHeld starts the program that starts the command in its view.
func startHeld(cmd *exec.Cmd, view *held.View) error {
	if err := view.Wrap(cmd); err != nil {
		return err
	}
	return startInSession(cmd, false)
}

// startRestricted gives up rights of the thread, and starts the command.
func (c *Command) startRestricted(cmd *exec.Cmd) error {
	if c.Sandbox != nil {
		if err := c.Sandbox.Enter(); err != nil {
			return err
		}
	}
	if !c.Untrusted {
		return startInSession(cmd, false)
	}
	err := dropPowers()
	if err == nil {
		err = startInSession(cmd, true)
	}
	if err == nil {
		bound(cmd.Process.Pid)
	}
	return err
}

// wait waits for the first process, and ends the group after the timeout or when ctx is
// done. It reports whether there was a timeout.
func wait(ctx context.Context, g *process.Group, timeout time.Duration) (timedOut bool) {
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case <-g.Ended():
		return false
	case <-timer.C:
		timedOut = true
	case <-ctx.Done():
	}
	g.End()
	return timedOut
}

// scriptArgs returns the arguments to run a script of the workflow's author, which the
// first command that fails ends.
func scriptArgs(script string) []string {
	if _, err := exec.LookPath("bash"); err != nil {
		return []string{"sh", "-e", "-c", script}
	}
	return []string{"bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script}
}

// commandArgs returns the arguments to run a model's command. As at a prompt, a command
// that fails does not end it. The shell itself first limits the size of files, because a
// limit set from outside may come too late. It does so on the command's first line, so that
// line numbers stay right.
//
// Without bash it returns an error: another shell might read the command differently from
// how it was judged.
func commandArgs(command string) ([]string, error) {
	if _, err := exec.LookPath("bash"); err != nil {
		return nil, errors.New("there is no bash on this machine, and no other shell takes its place")
	}
	bounds := fmt.Sprintf("ulimit -c 0 -f %d 2>/dev/null; ", MaxPrinted>>10)
	return []string{"bash", "--noprofile", "--norc", "-c", bounds + command}, nil
}

// CloseInherited marks the open files that this process has inherited, except its three
// streams, to be closed in programs that it starts: a command must not write to a lock or
// a log of its caller, which no view of the file system could prevent. Files that Go opens
// are marked anyway. Running a [Command] does this; whatever else starts programs for a
// workflow has to call it. It is safe for concurrent use.
func CloseInherited() { closeInherited() }

var closeInherited = sync.OnceFunc(func() {
	entries, _ := os.ReadDir("/dev/fd")
	for _, entry := range entries {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
})
