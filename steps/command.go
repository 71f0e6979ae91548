package steps

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/tools/shell"
)

// A Command runs a script: bash with -e and pipefail, or sh -e where there is
// no bash, without a standard input. It is not changed by Run.
type Command struct {
	Source string
	Values []Variable // what the script refers to
	Dir    string
	Env    []string // name=value; nothing else of the environment is seen

	// Sandbox holds the command; nil: nothing does. What it changed and may not is an
	// error of the kind denied.
	Sandbox *Sandbox

	Output Output
	Brief  bool         // the text is cut as Stdout is, however much was printed; Output is text
	Limits tools.Limits // of what is shown of both streams; both ends where it says nothing
	Mask   *tools.Mask  // over what Spill takes; the result is as it was printed

	// Spill creates the file for the whole of a stream, stdout or stderr, as
	// [tools.Spill] does. Nil keeps none. It may be called for both at once.
	Spill func(stream string) (file io.WriteCloser, path string, err error)
}

// A Sandbox is what a command is held by: see [shell.Sandbox].
type Sandbox = shell.Sandbox

// A Variable is the value of one of the script's expressions, by the name that the
// script has for it. A long one is not exported: what the script starts has it not.
type Variable struct {
	Name, Value string
}

// Run runs the script to its end, or until ctx ends, and with it the whole
// group of its processes. An exit code other than 0 is a failure, whatever was
// printed. So is a standard output of more than 64 MiB, unless it is Brief.
func (c *Command) Run(ctx context.Context) Result {
	stdout, stderr := c.stream("stdout", new(whole)), c.stream("stderr", nil)
	if c.Brief {
		stdout = c.stream("stdout", nil)
	}
	values := make([]shell.Variable, len(c.Values))
	for i, v := range c.Values {
		values[i] = shell.Variable(v)
	}
	exit, err := shell.Run(ctx, shell.Command{
		Script: c.Source, Values: values, Dir: c.Dir, Env: c.Env, Sandbox: c.Sandbox, Stdout: stdout, Stderr: stderr,
		Timeout: math.MaxInt64, // ctx has the step's
	})
	r := Result{Stdout: stdout.close(&err), Stderr: stderr.close(&err)}
	r.Truncated, r.Lost = stdout.truncated+stderr.truncated, stdout.lost+stderr.lost
	r.say(stdout.whole, r.Stdout, stdout.truncated > 0, stdout.path)
	if ctx.Err() != nil {
		return r.interrupted(ctx)
	}
	if unheld := (*shell.HeldError)(nil); errors.As(err, &unheld) {
		r.ExitCode = &exit.Code
		return r.fail(ReasonError, &Error{Kind: KindDenied, Message: unheld.Message})
	}
	if err != nil {
		return r.fail(ReasonError, withKind(c.blame(err), KindCommand))
	}
	r.ExitCode = &exit.Code
	if exit.Code != 0 {
		return r.fail(ReasonError, &Error{Kind: KindCommand, Message: exitMessage(exit, r.Stdout, r.Stderr)})
	}
	r = r.finish(c.Output, stdout.whole)
	if !c.Output.isText() && r.Status == Succeeded { // all that was printed is in the output
		r.Truncated, r.Lost = stderr.truncated, stderr.lost
	}
	return r
}

// blame names the folder where that is what is wrong: the system's own words
// name the shell.
func (c *Command) blame(err error) error {
	if _, missing := os.Stat(c.Dir); c.Dir != "" && missing != nil {
		return fmt.Errorf("folder of the command: %w", missing)
	}
	return err
}

// lastLinesShown are the lines of a command's own that its failure shows.
const lastLinesShown = 10

// exitMessage says how a command ended, with its own last words: those on
// standard error, else those on standard output, where many tools complain.
func exitMessage(exit shell.Exit, stdout, stderr string) string {
	message := fmt.Sprintf("exit status %d", exit.Code)
	if exit.Signal != "" {
		message = "ended by " + exit.Signal
	}
	words := lastLines(cmp.Or(strings.TrimSpace(stderr), strings.TrimSpace(stdout)), lastLinesShown)
	switch {
	case words == "":
		return message
	case strings.Contains(words, "\n"):
		return message + "\n" + ends(words, 4*maxShown)
	}
	return message + ": " + ends(words, maxShown)
}
