package shell

import (
	"context"
	"errors"
	"os/exec"
	"time"

	"github.com/a-seed-11b9befa/flow/tools/internal/process"
	"github.com/a-seed-11b9befa/flow/tools/shell/held"
)

const (
	lateOutput = 250 * time.Millisecond // how long processes left behind may print the rest
	drainTime  = time.Second            // how long to read the pipe when all are killed
)

// group are the processes of one command.
type group struct {
	*process.Group
	untrusted bool
	session   session
}

// startGroup starts a command, on a thread that has the restrictions of the command.
func (c Command) startGroup(cmd *exec.Cmd, view *held.View) (*group, error) {
	g := &group{untrusted: c.Untrusted && view == nil} // the kernel kills what a held one leaves behind
	start := func() error { return g.begin(cmd, c.Sandbox) }
	if view != nil {
		start = func() error { return g.beginHeld(cmd, view) }
	}
	var err error
	g.Group, err = process.Start(cmd, process.Options{
		Session: true,
		Spoils:  view == nil && (c.Sandbox != nil || c.Untrusted),
		Start:   start,
	})
	return g, err
}

// beginHeld starts the program that starts the command in its view.
func (g *group) beginHeld(cmd *exec.Cmd, view *held.View) error {
	if err := view.Wrap(cmd); err != nil {
		return err
	}
	defer view.Started(cmd)
	var err error
	g.session, err = enlist(cmd)
	return err
}

// begin gives up the thread's rights, and starts the first process.
func (g *group) begin(cmd *exec.Cmd, sandbox *Sandbox) error {
	if sandbox != nil {
		if err := sandbox.Enter(); err != nil {
			return err
		}
	}
	if g.untrusted {
		if err := errors.Join(adopt(), dropPowers()); err != nil {
			return err
		}
	}
	var err error
	if g.session, err = enlist(cmd); err != nil {
		return err
	}
	if g.untrusted {
		bound(cmd.Process.Pid)
	}
	return nil
}

// wait waits for the first process, and ends the group after the timeout or when ctx is
// done. It reports whether there was a timeout.
func (g *group) wait(ctx context.Context, timeout time.Duration) (timedOut bool) {
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

// drain kills what the first process left behind, and waits for the rest of the output. It
// stops waiting if a process that it can't kill holds the pipe open.
func (g *group) drain(ctx context.Context, copied <-chan struct{}, timedOut bool, p *pipes) {
	if ctx.Err() == nil && !timedOut {
		process.Within(lateOutput, copied)
	}
	g.Kill()
	if g.untrusted {
		g.session.endStrays()
	}
	if !process.Within(drainTime, copied) {
		p.stopReading()
	}
}
