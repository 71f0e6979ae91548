package main

import (
	"io"
	"os"

	"golang.org/x/term"
)

// A program is flow, with all that it reaches of the world outside.
type program struct {
	stdin  io.Reader
	stdout io.Writer
	stderr *screen

	lookup  func(name string) (string, bool) // of the environment
	noColor bool
}

// newProgram is the program of this process.
func newProgram() *program {
	return &program{
		stdin: os.Stdin, stdout: os.Stdout, stderr: &screen{to: os.Stderr},
		lookup: os.LookupEnv,
	}
}

// run runs one command and returns the exit code.
func (p *program) run(args []string) int {
	root := p.rootCommand()
	root.SetArgs(args)
	root.SetIn(p.stdin)
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	return p.conclude(root.Execute())
}

// env is the value of a variable of the environment, "" where it is not set.
func (p *program) env(name string) string {
	value, _ := p.lookup(name)
	return value
}

// colored reports whether what goes to w may have colours.
func (p *program) colored(w io.Writer) bool {
	return !p.noColor && p.env("NO_COLOR") == "" && p.env("TERM") != "dumb" && isTerminal(w)
}

// live reports whether progress may be drawn in place.
func (p *program) live() bool {
	return p.env("CI") == "" && p.env("TERM") != "dumb" && isTerminal(p.stderr.to)
}

// isTerminal reports whether w is a file that leads to a terminal.
func isTerminal(w any) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}
