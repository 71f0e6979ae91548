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
// Commands have no terminal, so none can wait for an answer there. A process that starts a
// group or a session of its own outlives its command. On Linux, one of an untrusted command
// is killed if it has its own group, and if it has its own session in a program that has
// called [ReapOrphans]. When this program itself is killed, Linux kills the first process;
// the processes that this one has started go on until they print.
package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/trace"
	"github.com/a-seed-11b9befa/flow/tools/shell/held"
)

// Command is a script, or a program with arguments. It has no standard input.
type Command struct {
	Script string     // for bash -eo pipefail, without the user's files, or sh -e if there is no bash
	Values []Variable // variables of the script
	Args   []string   // in place of a script, without a shell

	Dir string   // "" is the current directory
	Env []string // the whole environment, but for the span of the context as TRACEPARENT: nothing is inherited

	// Stdout and Stderr get the output as it comes; nil drops it. If both are the same
	// writer, the order of the output is kept. A write that fails ends the command, as a
	// broken pipe does.
	Stdout, Stderr io.Writer

	Timeout time.Duration // 0 is two minutes

	// Untrusted says that the command is a model's. On Linux, nothing that it starts
	// outlives it (except a session of its own, if the program has not called
	// [ReapOrphans]), it is killed first when memory is short, the files that it writes
	// can't be larger than [MaxPrinted], and with root it loses the capabilities over the
	// system and the memory of other processes.
	Untrusted bool
	// Sandbox restricts the command; nil does not. If the sandbox can't be had the
	// command does not start; see [Sandboxes].
	Sandbox *Sandbox

	call held.Call // how it is held, but for what the sandbox says
	most int64     // how many bytes it may print; 0 is [MaxPrinted]

	undone string // a message about changes that were undone; see [Keeper]
}

// Exit says how a command ended.
type Exit struct {
	Code     int    // if a signal ended it, 128 plus the signal's number, as in a shell
	Signal   string // such as "SIGKILL"
	Why      string // what a held command used too much of, if it was killed for that
	TimedOut bool
	Duration time.Duration
}

const (
	defaultTimeout = 2 * time.Minute  // of a command
	maxTimeout     = 10 * time.Minute // that a call may ask for
)

// The exit codes of a shell for a program that it can't run, and for one that it does not
// find, and what a held command is told then.
const (
	cannotRun = 126
	notFound  = 127

	hidesPrograms = "flow: the sandbox hides programs in /tmp, /var/tmp and /run: commands have temporary folders of their own. " +
		"If it is one of these, keep it elsewhere, or show it: sandbox: {reveal: [/tmp/FOLDER]}"
)

// MaxPrinted is how many bytes a command may print. All output may be kept on disk, so a
// command that prints endlessly has to be stopped.
const MaxPrinted = 8 << 30

// Run runs a command, and waits until its process group has ended. It returns an error if
// the command could not be started, if its output could not be written or was too long
// ([ErrPrintsTooMuch]), and, with the cause of ctx, if it was cancelled. A command that
// fails or times out is not an error.
//
// The changes of a held command have landed if they are allowed; if some are not, Run
// returns a [*HeldError], as it does for changes that a [Keeper] has undone.
func Run(ctx context.Context, c Command) (Exit, error) {
	c.call = c.authorsCall()
	c.Untrusted = c.Untrusted || c.Sandbox.keeper() != nil // a process that outlives it could repeat what was undone
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

// run runs a command. If it is held, run returns its view with the changes, which the
// caller has to close.
func (c *Command) run(ctx context.Context) (Exit, *held.View, error) {
	if ctx.Err() != nil {
		return Exit{}, nil, context.Cause(ctx)
	}
	given, err := c.give()
	if err != nil {
		return Exit{}, nil, err
	}
	defer given.remove()
	if span := trace.Header(ctx); span != "" {
		given.env = append(given.env, "TRACEPARENT="+span)
	}
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
		if (exit.Code == cannotRun || exit.Code == notFound) && c.Stderr != nil && err == nil {
			_, err = fmt.Fprintln(c.Stderr, hidesPrograms)
		}
	}
	return exit, view, err
}

func (c *Command) runIn(ctx context.Context, given given, view *held.View) (Exit, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	out, errs, err := c.printings(stop)
	if err != nil {
		return Exit{}, err
	}
	start := time.Now()
	g, err := c.start(given, out.pipe, errs.pipe, view)
	if err != nil {
		finish(out, errs)
		return Exit{}, err
	}
	exit := Exit{TimedOut: wait(ctx, g, c.timeout())}
	finish(out, errs)
	g.Kill()
	exit.Code, exit.Signal = g.Wait()
	endSession(g.ID(), c.Untrusted && view == nil) // the kernel kills what a held one leaves behind
	exit.Duration = time.Since(start)
	if ctx.Err() != nil && !exit.TimedOut {
		return exit, context.Cause(ctx)
	}
	if out == errs {
		return exit, out.err
	}
	return exit, errors.Join(out.err, errs.err)
}

// program returns the name of the program that is started.
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
