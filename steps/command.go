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
	"unicode"

	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/tools/shell"
)

// Command runs a script without a standard input: with bash -eo pipefail, or with sh -e if
// there is no bash. Run does not change it.
type Command struct {
	Source string
	Values []Variable // variables of the script
	Dir    string
	Env    []string // name=value: the whole environment

	// Sandbox restricts the command; nil does not. If the command changed something that
	// it may not, the result has an error of the kind denied.
	Sandbox *Sandbox

	Output       Output
	TruncateText bool         // Text is cut like Stdout, however long the output is; Output is text
	Limits       tools.Limits // of both streams; without Keep both ends are kept
	Mask         *tools.Mask  // masks the files of Spill, and what an error quotes; the rest of the result is not masked

	// Spill creates the file for the whole of a stream, stdout or stderr, as [tools.Spill]
	// does. Nil keeps none. It may be called concurrently for the two.
	Spill func(stream string) (file io.WriteCloser, path string, err error)
}

// Sandbox is a [shell.Sandbox].
type Sandbox = shell.Sandbox

// Variable is a [shell.Variable]: the value of an expression in a script.
type Variable = shell.Variable

// Run runs the script until it ends, or ctx is done, and its whole process group with it.
// An exit code other than 0 is a failure, whatever was printed, and so is a standard output
// of more than 64 MiB, unless TruncateText is set.
func (c *Command) Run(ctx context.Context) Result {
	var kept *whole
	if !c.TruncateText {
		kept = new(whole)
	}
	stdout, stderr := c.output("stdout", kept), c.output("stderr", nil)
	exit, err := shell.Run(ctx, shell.Command{
		Script: c.Source, Values: c.Values, Dir: c.Dir, Env: c.Env, Sandbox: c.Sandbox, Stdout: stdout, Stderr: stderr,
		Timeout: math.MaxInt64, // ctx has the step's
	})
	outText, outErr := stdout.Close()
	errText, errErr := stderr.Close()
	err = cmp.Or(err, outErr, errErr)
	out := printed{outText, kept}
	r := out.result()
	r.count(errText.Truncated, errText.Lost)
	r.Stdout, r.Stderr = outText.Content, errText.Content
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
		return r.fail(ReasonError, &Error{Kind: KindCommand, Message: exitMessage(exit, c.Mask.String(r.Stdout), c.Mask.String(r.Stderr)), Hint: exitHint(exit.Code)})
	}
	r = r.finish(c.Output, out, c.Mask.String)
	if !c.Output.isText() && r.Status == Succeeded { // Output has all of it
		r.Used = Used{}
		r.count(errText.Truncated, errText.Lost)
	}
	return r
}

// output returns an output for a stream. What it shows is data, and not masked, which is up to
// those who record it. The whole may be nil.
func (c *Command) output(stream string, whole *whole) *tools.Output {
	options := tools.OutputOptions{Limits: c.Limits, Mask: c.Mask, Reveal: true}
	options.Limits.Keep = cmp.Or(options.Limits.Keep, tools.KeepBoth)
	if whole != nil {
		options.Copy = whole
	}
	if c.Spill != nil {
		options.Spill = func() (io.WriteCloser, string, error) { return c.Spill(stream) }
	}
	return tools.NewOutput(options)
}

// blame returns an error about the folder if that is missing: the system's error names the
// shell.
func (c *Command) blame(err error) error {
	if _, missing := os.Stat(c.Dir); c.Dir != "" && missing != nil {
		return fmt.Errorf("folder of the command: %w", missing)
	}
	return err
}

// brokenPipe is the exit status that bash gives for a program that SIGPIPE ended.
const brokenPipe = 128 + 13

// exitHint says what an exit status means that depends on time: with pipefail, a program whose
// output the next one does not read to its end fails, or not.
func exitHint(code int) string {
	if code != brokenPipe {
		return ""
	}
	return "a program in a pipe failed because the next one (such as head) stopped reading: read all of it (sed -n 1,20p), or begin with set +o pipefail"
}

// lastLinesShown is how many lines of its output the error of a command shows.
const lastLinesShown = 10

// exitMessage returns how a command ended, with its last lines on standard error, or else on
// standard output, to which many tools print errors.
func exitMessage(exit shell.Exit, stdout, stderr string) string {
	message := fmt.Sprintf("exit status %d", exit.Code)
	if exit.Signal != "" {
		message = "ended by " + exit.Signal
	}
	words := lastLines(cmp.Or(withoutEmptyEnds(stderr), withoutEmptyEnds(stdout)), lastLinesShown)
	switch {
	case words == "":
		return message
	case strings.Contains(words, "\n"):
		return message + "\n" + ends(words, 4*maxShown)
	}
	return message + ": " + ends(strings.TrimSpace(words), maxShown)
}

// withoutEmptyEnds is a text without empty lines at both ends. Its first line keeps its indentation.
func withoutEmptyEnds(text string) string {
	return strings.TrimLeft(strings.TrimRightFunc(text, unicode.IsSpace), "\r\n")
}
