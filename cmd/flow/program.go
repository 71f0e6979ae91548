package main

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/ci"
	"github.com/a-seed-11b9befa/flow/internal/flags"
	"github.com/a-seed-11b9befa/flow/internal/recipe"
	"github.com/a-seed-11b9befa/flow/internal/report"
	"github.com/a-seed-11b9befa/flow/internal/session"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/workflows"
	"github.com/spf13/cobra"
)

// A program is flow, with all of its access to the world outside.
type program struct {
	session.Output
	stdin   io.Reader
	lookup  func(name string) (string, bool) // of the environment
	noColor bool
	offline bool   // nothing is fetched
	sandbox string // the least that commands are held to; "": as the files say
	format  string // how a result is printed; "" is text
}

func newProgram(stdin io.Reader, stdout, stderr io.Writer, lookup func(name string) (string, bool)) *program {
	env := func(name string) string {
		value, _ := lookup(name)
		return value
	}
	return &program{Output: session.Output{Stdout: stdout, Screen: term.NewScreen(stderr), Env: env}, stdin: stdin, lookup: lookup}
}

// run runs one command and returns the exit code.
func (p *program) run(args []string) int {
	root := p.rootCommand()
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		flags.Complete(root, p.loadOffline)
	}
	root.SetArgs(args)
	root.SetIn(p.stdin)
	root.SetOut(p.Stdout)
	root.SetErr(p.Screen)
	return p.conclude(root.Execute())
}

// environment is the environment of workflows. References are fetched within ctx.
func (p *program) environment(ctx context.Context) host.Environment {
	finder := p.finder()
	find := func(top, from, reference string) (host.Recipe, bool, error) {
		found, ok, err := finder.Find(ctx, top, from, reference)
		return host.Recipe{File: found.File(), Root: found.Dir}, ok, err
	}
	return host.Environment{Lookup: p.lookup, Names: host.VariableNames, Version: version(), Sandbox: workflows.SandboxLevel(p.sandbox), Recipe: find, Fetched: recipe.RootOf, Intact: recipe.Intact}
}

// painter colours texts for standard output or standard error, if that may have colours.
func (p *program) painter(of any) term.Painter {
	return term.Painter{On: !p.noColor && term.Colored(of, p.Env)}
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
func (p *program) say(message, hint string) { io.WriteString(p.Screen, report.Message(message, hint)) }

// render prints diagnostics for a person and, in a job of GitHub Actions, annotates their lines.
func (p *program) render(found workflows.Diagnostics) {
	if len(found) > 0 {
		io.WriteString(p.Screen, report.Diagnostics(found, p.painter(p.Screen)))
		p.annotate(found)
	}
}

// annotate annotates the lines of diagnostics in a job of GitHub Actions.
func (p *program) annotate(found workflows.Diagnostics) {
	if ci.InGitHub(p.Env) {
		_ = ci.WriteMistakes(p.Screen.Past(), report.HintedAll(found), p.Env("GITHUB_WORKSPACE"))
	}
}

// colored colours a report for standard output.
func (p *program) colored(text string) string { return report.Colored(text, p.painter(p.Stdout)) }

// tell writes a result to standard output: the value as JSON or, in any other format, the text.
func (p *program) tell(value any, text func() string) error {
	if p.format == formatJSON {
		return p.JSON(value, "  ")
	}
	return p.Text(text())
}
