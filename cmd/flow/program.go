package main

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/a-seed-11b9befa/flow/internal/ci"
	"github.com/a-seed-11b9befa/flow/internal/recipe"
	"github.com/a-seed-11b9befa/flow/internal/report"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A program is flow, with all of its access to the world outside.
type program struct {
	stdin  io.Reader
	stdout io.Writer
	stderr *term.Screen

	lookup  func(name string) (string, bool) // of the environment
	noColor bool
	offline bool   // nothing is fetched
	format  string // how a result is printed; "" is text
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

// painter colours texts for standard output or standard error, if that may have colours.
func (p *program) painter(of any) term.Painter {
	return term.Painter{On: !p.noColor && term.Colored(of, p.env)}
}

// conclude prints what went wrong, and returns the exit code.
func (p *program) conclude(err error) int {
	if err == nil {
		return exitSuccess
	}
	var exit exitError
	var found workflows.Diagnostics
	switch {
	case errors.As(err, &exit):
		return int(exit)
	case errors.As(err, &found):
		p.render(found)
	default:
		p.complain(err)
	}
	return codeBefore(err)
}

// complain prints an error and its hint.
func (p *program) complain(err error) { p.say(err.Error(), report.HintOf(err)) }

// warn prints a warning.
func (p *program) warn(message string) { p.say("warning: "+message, "") }

// say prints a message of one or several lines under flow's name.
func (p *program) say(message, hint string) { io.WriteString(p.stderr, report.Message(message, hint)) }

// render prints diagnostics for a person and, in a job of GitHub Actions, annotates their lines.
func (p *program) render(found workflows.Diagnostics) {
	if len(found) > 0 {
		io.WriteString(p.stderr, report.Diagnostics(found, p.painter(p.stderr)))
		p.annotate(found)
	}
}

// annotate annotates the lines of diagnostics in a job of GitHub Actions.
func (p *program) annotate(found workflows.Diagnostics) {
	if ci.InGitHub(p.env) {
		_ = ci.WriteMistakes(p.stderr.Past(), report.HintedAll(found), p.env("GITHUB_WORKSPACE"))
	}
}

// colored colours a report for standard output.
func (p *program) colored(text string) string { return report.Colored(text, p.painter(p.stdout)) }

// print writes a text for people to standard output, where nothing in it is a command to a CI
// system.
func (p *program) print(text string) error {
	_, err := io.WriteString(p.stdout, term.Disarm(text))
	return err
}

// tell writes a result to standard output: the value as JSON or, in any other format, the text.
func (p *program) tell(value any, text func() string) error {
	if p.format == formatJSON {
		return p.printJSON(value, "  ")
	}
	return p.print(text())
}

// printJSON writes a value to standard output, where no string of it acts on a terminal.
func (p *program) printJSON(value any, indent string) error {
	return report.Encoder(term.JSONOutput(p.stdout, p.env), indent).Encode(value)
}
