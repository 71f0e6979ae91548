package main

import (
	"cmp"
	"context"
	"errors"

	"github.com/a-seed-11b9befa/flow/internal/report"
	"github.com/a-seed-11b9befa/flow/internal/session"
	"github.com/a-seed-11b9befa/flow/internal/signals"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/steps"
)

// atWork runs work that has keys, until it ends or a signal comes, to its exit code. By then
// everything is on the screen, or nobody reads it.
func (p *program) atWork(work func(ctx context.Context) error) error {
	seclude()
	return underSignals(func(ctx context.Context) error {
		p.stderr.Follow(ctx)
		defer p.stderr.Settle()
		return exitWith(p.conclude(work(ctx)))
	})
}

// runFile runs the workflow of an argument.
func (p *program) runFile(ctx context.Context, argument string, f *runFlags) error {
	from, err := p.finder().Named(ctx, argument)
	if err != nil {
		return err
	}
	w, err := p.loadOwn(ctx, from, f)
	if err != nil {
		return err
	}
	if f.Host.Inputs, err = f.inputs.Values(w.Workflow, p.stdin); err != nil {
		return err
	}
	f.Host.Loaded, f.Inputs = w, f.inputs.File
	return p.runLoaded(ctx, f)
}

// runLoaded runs a loaded workflow, or resumes a run of it, to its exit code.
func (p *program) runLoaded(ctx context.Context, f *runFlags) (err error) {
	f.Host.Mask = f.Host.Loaded.Mask()
	p.stderr.Hide(f.Host.Mask.String)
	if f.Host.Answers, err = p.answers(f); err != nil {
		return err
	}
	f.Output, f.Paint, f.Detail, f.Say = p.results(), p.painter(), f.detail(), func(message string) { p.say(message, "") }
	if level := f.level(); level != "off" {
		f.Log = report.NewLog(p.stderr, level, f.Silent)
	}
	s, err := session.Open(ctx, f.Options)
	if err != nil {
		return err
	}
	p.render(s.Warnings())
	if f.sarif().Path != "" && f.Host.Loaded.Workflow.Findings == nil {
		p.say("warning: --sarif: the workflow has no findings, so an output that is a list of them is written, if there is one", "findings: ${{ … }} names the list")
	}
	if f.Host.PlanOnly {
		return errors.Join(s.Plan(ctx), s.Close())
	}
	end, err := s.Run(ctx)
	if err != nil {
		return err
	}
	return p.finish(end)
}

// results is the destination of results.
func (p *program) results() session.Output {
	return session.Output{Stdout: p.stdout, Screen: p.stderr, Env: p.env}
}

// finish prints the errors of outputs, and returns the exit code.
func (p *program) finish(end *session.End) error {
	code := codeOfResult(end.Result)
	var interrupted *signals.Interruption
	if errors.As(end.Cause, &interrupted) && (end.Result.Status == steps.Cancelled || code == exitSuccess && errors.Is(end.Unprinted, term.ErrHeldUp)) {
		code = codeOfSignal(interrupted.Signal)
	}
	for _, err := range []error{end.Unprinted, end.Unwritten} {
		if err != nil {
			p.complain(err)
			code = cmp.Or(code, exitFailure)
		}
	}
	return exitWith(code)
}
