package main

import (
	"context"
	"io"
	"os"

	"github.com/a-seed-11b9befa/flow/internal/recipe"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner/host"
)

// A program is flow, with all of its access to the world outside.
type program struct {
	stdin  io.Reader
	stdout io.Writer
	stderr *term.Screen

	lookup  func(name string) (string, bool) // of the environment
	noColor bool
	offline bool   // nothing is fetched
	output  string // how a result is printed; "" is text
}

// newProgram is the program of this process.
func newProgram() *program {
	return &program{
		stdin: os.Stdin, stdout: os.Stdout, stderr: term.NewScreen(os.Stderr),
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

// env is the value of an environment variable, "" if it is not set.
func (p *program) env(name string) string {
	value, _ := p.lookup(name)
	return value
}

// environment is the environment of workflows. References are fetched within ctx.
func (p *program) environment(ctx context.Context) host.Environment {
	finder := p.finder()
	find := func(top, from, reference string) (host.Recipe, bool, error) {
		found, ok, err := finder.Find(ctx, top, from, reference)
		return host.Recipe{File: found.File(), Root: found.Dir}, ok, err
	}
	return host.Environment{Lookup: p.lookup, Names: host.VariableNames, Version: version(), Recipe: find, Fetched: recipe.RootOf, Intact: recipe.Intact}
}

// painter colours texts for standard error, if that may have colours.
func (p *program) painter() term.Painter {
	return term.Painter{On: !p.noColor && p.stderr.Colored(p.env)}
}
