// Package shell runs commands, each in a process group of its own that ends
// with it, and has the tools that do: bash and the custom tools of a workflow.
//
//	exit, err := shell.Run(ctx, shell.Command{
//		Script: "go vet ./...",
//		Dir:    "/home/ada/project",
//		Env:    shell.Environment(nil, os.LookupEnv),
//		Stdout: out, Stderr: out,
//	})
//
// Commands have no terminal, so none can wait for an answer there. A process that
// starts a group or a session of its own outlives its command, unless that is
// untrusted: on Linux those are found and ended too; this process adopts them for
// that. Only Unix has process groups; elsewhere the first process alone is ended.
// When this program itself is killed, Linux ends the first process; what that one
// has started goes on until it prints.
package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"time"

	"github.com/sourcegraph/conc"
)

// A Command is a script, or a program and its words. It has no standard input.
type Command struct {
	Script string   // for bash -eo pipefail, without the user's files; sh -e where there is no bash
	Args   []string // in place of a script: no shell reads them

	Dir string   // "" is the current one
	Env []string // all of it: nothing is inherited

	// Stdout and Stderr take what is printed, as it comes; nil drops it. Where
	// both are the same writer, one pipe keeps the order of the two. A write
	// that fails ends the command, as a broken pipe does.
	Stdout, Stderr io.Writer

	Timeout time.Duration // 0 stands for [DefaultTimeout]

	// Untrusted is a command of a model: nothing that it starts outlives it, it
	// is the first to end when memory is short, no file that it writes may be
	// longer than [MaxPrinted], and root's command has no power over the system
	// and the memory of other processes. All of that only on Linux.
	Untrusted bool
	// Sandbox, where it is not nil, is enforced or the command does not start;
	// see [Sandboxes].
	Sandbox *Sandbox

	most int64 // bytes that it may print; 0 stands for [MaxPrinted]
}

// Exit is how a command ended.
type Exit struct {
	Code     int    // 128 and the signal's number where one ended it, as in a shell
	Signal   string // "SIGKILL"
	TimedOut bool
	Duration time.Duration
}

const (
	DefaultTimeout = 2 * time.Minute  // of a command
	MaxTimeout     = 10 * time.Minute // that a call may ask for
)

// MaxPrinted is what a command may print, in bytes. All of it may be kept on
// disk, so that a command that prints without end has to be ended.
const MaxPrinted = 8 << 30

const (
	termGrace  = 2 * time.Second        // between SIGTERM and SIGKILL
	lateOutput = 250 * time.Millisecond // for processes that only print the rest
	drainTime  = time.Second            // for what is in the pipe when all are killed
)

// Run runs a command and waits until its process group has ended. A command
// that fails or takes too long is an Exit, no error. The errors are that it
// could not be started, that what it printed could not be written, or was too
// much ([ErrPrintsTooMuch]), and, with the cause of ctx, that it was cancelled.
func Run(ctx context.Context, c Command) (Exit, error) {
	if ctx.Err() != nil {
		return Exit{}, context.Cause(ctx)
	}
	cmd, err := c.prepare()
	if err != nil {
		return Exit{}, err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	pipes, err := newPipes(c.Stdout, c.Stderr, c.maxPrinted(), stop)
	if err != nil {
		return Exit{}, fmt.Errorf("pipe: %w", err)
	}
	defer pipes.close()
	pipes.attach(cmd)
	start := time.Now()
	g := &group{cmd: cmd, untrusted: c.Untrusted, sandbox: c.Sandbox, ended: make(chan struct{})}
	var running conc.WaitGroup
	started := make(chan error)
	running.Go(func() { g.run(started) })
	if err := <-started; err != nil {
		running.Wait()
		return Exit{}, startError(c, err)
	}
	defer g.session.leave()
	pipes.closeWriters()
	copied := make(chan struct{})
	running.Go(func() {
		defer close(copied)
		pipes.copy()
	})
	timedOut := g.wait(ctx, c.timeout())
	g.drain(ctx, copied, timedOut, pipes)
	running.Wait()
	exit := Exit{TimedOut: timedOut, Duration: time.Since(start)}
	exit.Code, exit.Signal = status(cmd.ProcessState)
	if ctx.Err() != nil && !timedOut {
		return exit, context.Cause(ctx)
	}
	return exit, pipes.err()
}

func (c Command) timeout() time.Duration {
	if c.Timeout <= 0 {
		return DefaultTimeout
	}
	return c.Timeout
}

func (c Command) maxPrinted() int64 {
	if c.most <= 0 {
		return MaxPrinted
	}
	return c.most
}

func (c Command) prepare() (*exec.Cmd, error) {
	args := c.Args
	if len(args) == 0 {
		args = scriptArgs(c.Script)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = c.Dir
	cmd.Env = append([]string{}, c.Env...) // nil would inherit
	ownGroup(cmd)
	if cmd.Err != nil {
		return nil, startError(c, cmd.Err)
	}
	return cmd, nil
}

// scriptArgs is how a script of the workflow's author runs: the first command
// that fails ends it.
func scriptArgs(script string) []string {
	if _, err := exec.LookPath("bash"); err != nil {
		return []string{"sh", "-e", "-c", script}
	}
	return []string{"bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script}
}

// commandArgs is how a model's command runs: as at a prompt, where a search
// that finds nothing ends no more than itself.
func commandArgs(command string) []string {
	if _, err := exec.LookPath("bash"); err != nil {
		return []string{"sh", "-c", command}
	}
	return []string{"bash", "--noprofile", "--norc", "-c", command}
}

func startError(c Command, err error) error {
	if info, dirErr := os.Stat(c.Dir); c.Dir != "" && (dirErr != nil || !info.IsDir()) {
		return fmt.Errorf("command: %q is no folder to run in", c.Dir)
	}
	var missing *exec.Error
	if errors.As(err, &missing) {
		return fmt.Errorf("command %q: %w", missing.Name, missing.Err)
	}
	if len(c.Args) > 0 {
		return fmt.Errorf("command %q: %w", c.Args[0], err)
	}
	return fmt.Errorf("command: %w", err)
}

// A group is the processes of one command.
type group struct {
	cmd       *exec.Cmd
	untrusted bool
	sandbox   *Sandbox
	session   session
	ended     chan struct{} // closed when the first process has ended
}

// run starts the first process and waits for it. It holds on to its thread: the
// end of that would be taken for the end of the program.
func (g *group) run(started chan<- error) {
	runtime.LockOSThread()
	if g.sandbox == nil && !g.untrusted {
		defer runtime.UnlockOSThread() // else the thread has to end, which has lost rights
	}
	defer close(g.ended)
	err := g.start()
	started <- err
	if err == nil {
		// The state tells how it ended. There is nothing else to fail here.
		_ = g.cmd.Wait()
	}
}

func (g *group) start() error {
	if g.sandbox != nil {
		if err := g.sandbox.enter(); err != nil {
			return err
		}
	}
	if g.untrusted {
		if err := errors.Join(adopt(), dropPowers()); err != nil {
			return err
		}
	}
	var err error
	if g.session, err = enlist(g.cmd); err != nil {
		return err
	}
	if g.untrusted {
		bound(g.cmd.Process.Pid)
	}
	return nil
}

// wait waits for the first process, and ends the group at a time-out or when
// ctx ends. It reports whether the time was up.
func (g *group) wait(ctx context.Context, timeout time.Duration) (timedOut bool) {
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case <-g.ended:
		return false
	case <-timer.C:
		timedOut = true
	case <-ctx.Done():
	}
	terminate(g.cmd.Process)
	grace := time.NewTimer(termGrace)
	defer grace.Stop()
	select {
	case <-g.ended:
	case <-grace.C:
	}
	kill(g.cmd.Process)
	<-g.ended
	return timedOut
}

// drain ends what the first process left behind, and waits for what is still to
// be read. A process that is out of reach may hold the pipe; it is not read then.
func (g *group) drain(ctx context.Context, copied <-chan struct{}, timedOut bool, p *pipes) {
	if ctx.Err() == nil && !timedOut {
		within(lateOutput, copied)
	}
	kill(g.cmd.Process)
	if g.untrusted {
		g.session.endStrays()
	}
	if !within(drainTime, copied) {
		p.stopReading()
	}
}

func within(d time.Duration, done <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}
