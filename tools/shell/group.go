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
	lateOutput = 250 * time.Millisecond // for processes that only print the rest
	drainTime  = time.Second            // for what is in the pipe when all are killed
)

// A group is the processes of one command.
type group struct {
	*process.Group
	untrusted bool
	session   session
}

// startGroup starts a command, on a thread that is held to what the command is.
func (c Command) startGroup(cmd *exec.Cmd, view *held.View) (*group, error) {
	g := &group{untrusted: c.Untrusted && view == nil} // the kernel ends what a held one leaves
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

// begin gives up the thread's rights and starts the first process.
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

// wait waits for the first process, and ends the group at a time-out or when
// ctx ends. It reports whether the time was up.
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

// drain ends what the first process left behind, and waits for what is still to
// be read. A process that is out of reach may hold the pipe; it is not read then.
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
