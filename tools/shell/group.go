package shell

import (
	"context"
	"errors"
	"os/exec"
	"time"

	"github.com/a-seed-11b9befa/flow/tools/internal/process"
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
func (c Command) startGroup(cmd *exec.Cmd) (*group, error) {
	g := &group{untrusted: c.Untrusted}
	var err error
	g.Group, err = process.Start(cmd, process.Options{
		Session: true,
		Spoils:  c.Sandbox != nil || c.Untrusted,
		Start:   func() error { return g.begin(cmd, c.Sandbox) },
	})
	return g, err
}

// begin gives up the thread's rights and starts the first process.
func (g *group) begin(cmd *exec.Cmd, sandbox *Sandbox) error {
	if sandbox != nil {
		if err := sandbox.enter(); err != nil {
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
