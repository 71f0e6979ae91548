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
// untrusted: on Linux a group is found and ended too, and a session in a program
// that has called [AdoptStrays]. When this program itself is killed, Linux ends the
// first process; what that one has started goes on until it prints.
package shell

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/sourcegraph/conc"

	"github.com/a-seed-11b9befa/flow/tools/shell/held"
)

// A Command is a script, or a program and its words. It has no standard input.
type Command struct {
	Script string     // for bash -eo pipefail, without the user's files; sh -e where there is no bash
	Values []Variable // what the script refers to; see [Variable]
	Args   []string   // in place of a script: no shell reads them

	Dir string   // "" is the current one
	Env []string // all of it: nothing is inherited

	// Stdout and Stderr take what is printed, as it comes; nil drops it. Where
	// both are the same writer, one pipe keeps the order of the two. A write
	// that fails ends the command, as a broken pipe does.
	Stdout, Stderr io.Writer

	Timeout time.Duration // 0 stands for two minutes

	// Untrusted is a command of a model: nothing that it starts outlives it (a
	// session only where the program has not called [AdoptStrays]), it is the
	// first to end when memory is short, no file that it writes may be longer than
	// [MaxPrinted], and root's command has no power over the system and the memory
	// of other processes. All of that only on Linux.
	Untrusted bool
	// Sandbox, where it is not nil, is enforced or the command does not start;
	// see [Sandboxes].
	Sandbox *Sandbox

	dropAside bool  // by-products, and what it puts into caches, are gone with it
	readOnly  bool  // it changes nothing but temporary files, and could not
	git       bool  // what it does to git's own files may land
	most      int64 // bytes that it may print; 0 stands for [MaxPrinted]

	undone string // what it changed that was put back, in words; see [Keeper]
}

// Exit is how a command ended.
type Exit struct {
	Code     int    // 128 and the signal's number where one ended it, as in a shell
	Signal   string // "SIGKILL"
	Why      string // a held command was ended, because it took too much of the machine
	TimedOut bool
	Duration time.Duration
}

const (
	defaultTimeout = 2 * time.Minute  // of a command
	maxTimeout     = 10 * time.Minute // that a call may ask for
)

// MaxPrinted is what a command may print, in bytes. All of it may be kept on
// disk, so that a command that prints without end has to be ended.
const MaxPrinted = 8 << 30

// Run runs a command and waits until its process group has ended. A command
// that fails or takes too long is an Exit, no error. The errors are that it
// could not be started, that what it printed could not be written, or was too
// much ([ErrPrintsTooMuch]), and, with the cause of ctx, that it was cancelled.
//
// What a held command did has landed as far as it is allowed, and is an error
// where it is not ([*HeldError]); so is what a [Keeper] has undone.
func Run(ctx context.Context, c Command) (Exit, error) {
	c.git = len(c.Args) == 0 && c.Sandbox.letsGit(c.Script, c.Dir)
	c.Untrusted = c.Untrusted || c.Sandbox.keeper() != nil // what outlived it could do what was undone again
	exit, view, err := c.run(ctx)
	if view == nil {
		if err == nil && c.undone != "" {
			err = &HeldError{c.undone}
		}
		return exit, err
	}
	defer view.Close()
	if err != nil {
		return exit, err
	}
	outcome, err := view.Land(c.Sandbox.Hold.Judge(ctx), c.Sandbox.Hold.Partial)
	if note := outcome.Note(); err == nil && note != "" {
		err = &HeldError{note}
	}
	return exit, err
}

// run runs a command. Where it is held, it returns the view with what it did there,
// which is the caller's to close.
func (c *Command) run(ctx context.Context) (Exit, *held.View, error) {
	if ctx.Err() != nil {
		return Exit{}, nil, context.Cause(ctx)
	}
	given, err := c.give()
	if err != nil {
		return Exit{}, nil, err
	}
	defer given.remove()
	view, err := c.begin(given)
	if err != nil {
		return Exit{}, nil, err
	}
	undo := c.keep(view)
	exit, err := c.runIn(ctx, given, view)
	c.undone = undo()
	if view != nil {
		if e, ok, startErr := view.Exit(); ok {
			exit.Code, exit.Signal, exit.Why = e.Code, e.Signal, e.Why
		} else if startErr != nil && err == nil {
			err = fmt.Errorf("command %q: %w", c.program(), startErr)
		}
	}
	return exit, view, err
}

func (c *Command) runIn(ctx context.Context, given given, view *held.View) (Exit, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	pipes, err := newPipes(c.Stdout, c.Stderr, c.maxPrinted(), stop)
	if err != nil {
		return Exit{}, fmt.Errorf("pipe: %w", err)
	}
	defer pipes.close()
	start := time.Now()
	g, err := c.start(given, pipes, view)
	if err != nil {
		return Exit{}, err
	}
	defer g.session.leave()
	pipes.closeWriters()
	var copying conc.WaitGroup
	copied := make(chan struct{})
	copying.Go(func() {
		defer close(copied)
		pipes.copy()
	})
	timedOut := g.wait(ctx, c.timeout())
	g.drain(ctx, copied, timedOut, pipes)
	copying.Wait()
	exit := Exit{TimedOut: timedOut}
	exit.Code, exit.Signal = g.Wait()
	exit.Duration = time.Since(start)
	if ctx.Err() != nil && !timedOut {
		return exit, context.Cause(ctx)
	}
	return exit, pipes.err()
}

// program is what the command starts with.
func (c Command) program() string {
	if len(c.Args) == 0 {
		return "bash"
	}
	return c.Args[0]
}

func (c Command) timeout() time.Duration {
	if c.Timeout <= 0 {
		return defaultTimeout
	}
	return c.Timeout
}

func (c Command) maxPrinted() int64 {
	if c.most <= 0 {
		return MaxPrinted
	}
	return c.most
}
