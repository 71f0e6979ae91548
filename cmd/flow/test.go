package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/a-seed-11b9befa/flow/internal/ci"
	"github.com/a-seed-11b9befa/flow/internal/flags"
	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/internal/recipe"
	"github.com/a-seed-11b9befa/flow/internal/report"
	"github.com/a-seed-11b9befa/flow/internal/session"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/suite"
	"github.com/a-seed-11b9befa/flow/steps"
)

// testFlags are the flags of flow test.
type testFlags struct {
	suite.Options
	model, junit         string
	verbose, cover, live bool
	granted              runFlags // what recipes of references may have
}

func (p *program) testCommand() *cobra.Command {
	var f testFlags
	c := &cobra.Command{
		Use:   "test [FILE|FOLDER|REF…]",
		Short: "Run the tests of workflows, with scripted models",
		RunE: signalled(func(ctx context.Context, names []string) error {
			if len(names) == 0 {
				names = []string{"."}
			}
			return p.test(ctx, names, f)
		}),
	}
	set := c.Flags()
	set.Var(flags.Of(&f.Only, "regexp", "", regexp.Compile), "run", "only cases whose \"file: name\" matches a `regexp`")
	set.BoolVar(&f.FailFast, "failfast", false, "start no more cases after a failure")
	set.BoolVar(&f.Keep, "keep", false, "also keep the folders of cases that passed")
	set.BoolVar(&f.Update, "update", false, "rewrite the golden files of equals_file")
	set.Var(flags.Of(&f.Parallel, "n", "", quantity.ParseNumber), "max-parallel", "the number of cases that run at once")
	set.BoolVar(&f.cover, "cover", false, "list the steps, rules and branches of conditions that no case reached")
	set.BoolVar(&f.live, "live", false, "use the real model of --model instead of scripts")
	addModel(set, &f.model)
	set.Var(flags.Of(&f.Times, "n", "", quantity.ParseNumber), "times", "with --live: the number of runs of each case")
	set.Var(flags.Text(&f.junit), "junit", "write a report of the cases to a `file`, as JUnit")
	f.granted.registerGrants(set)
	set.BoolVar(&f.verbose, "verbose", false, "also show cases that passed")
	c.MarkFlagsMutuallyExclusive("live", "update")
	c.MarkFlagsRequiredTogether("live", "model")
	return c
}

// options returns the options of the suite.
func (f testFlags) options(ctx context.Context, p *program) (suite.Options, error) {
	cases := report.Cases{To: p.Stdout, Paint: p.painter(p.Stdout), Verbose: f.verbose || f.Keep}
	o := f.Options
	o.Environment, o.Exit, o.Observe, o.Live = p.environment(ctx), exitOf, cases.Case, f.model
	if f.Times > 0 && !f.live {
		return o, steps.Invalid("", "--times needs --live")
	}
	if f.cover {
		o.Cover = new(suite.Coverage)
	}
	return o, nil
}

// exitOf is the exit code that flow run would have.
func exitOf(r *runner.Result, err error) int {
	if err != nil {
		return codeBefore(err)
	}
	return codeOfResult(r)
}

// test runs test files, and writes their report. If an error keeps them from running, it writes
// that, so that no older report is mistaken for a new one.
func (p *program) test(ctx context.Context, names []string, f testFlags) error {
	if f.junit == "" {
		_, err := p.testCases(ctx, names, f)
		return err
	}
	junit, err := session.File{Name: "--junit", Path: f.junit}.Open(ctx)
	if err != nil {
		return err
	}
	defer junit.Close()
	outcomes, failed := p.testCases(ctx, names, f)
	if outcomes == nil && failed != nil {
		why := "see standard error"
		if shown := new(steps.Error); errors.As(failed, &shown) {
			why = shown.Error()
		}
		outcomes = []*suite.Outcome{{File: "flow test", Name: "nothing ran", Failures: []suite.Failure{{What: why}}}}
	}
	if err := junit.Replace(func(w io.Writer) error { return ci.WriteCases(w, outcomes) }); err != nil {
		return fmt.Errorf("--junit: %w", err)
	}
	return failed
}

// testCases reads test files and runs their cases, to the exit code. The outcomes are nil if
// nothing ran.
func (p *program) testCases(ctx context.Context, names []string, f testFlags) ([]*suite.Outcome, error) {
	began := time.Now()
	o, err := f.options(ctx, p)
	if err != nil {
		return nil, err
	}
	fetched, names, err := p.fetchTests(ctx, names)
	if err != nil {
		return nil, err
	}
	nameOf := nameFetched(&o, fetched)
	s, found := suite.Load(names, o)
	for i := range found {
		nameOf(&found[i].File)
	}
	p.render(found)
	if found.HasErrors() {
		return nil, exitError(exitUsage)
	}
	if f.Update && slices.ContainsFunc(s.Files, func(t *suite.File) bool { return recipe.IsFetched(t.File) }) {
		return nil, steps.Invalid("", "--update can't write the tests of a reference")
	}
	if err := p.acceptTests(ctx, s, fetched, &f.granted); err != nil {
		return nil, err
	}
	defer s.Close()
	outcomes, err := s.Run(ctx)
	if err != nil {
		return nil, err
	}
	if len(outcomes) == 0 && o.Only != nil {
		return nil, steps.Invalid("", "--run: no case matches")
	}
	p.Text(report.Suite(outcomes, f.live, o.Cover, time.Since(began)))
	switch {
	case ctx.Err() != nil:
		return outcomes, context.Cause(ctx)
	case slices.ContainsFunc(outcomes, func(o *suite.Outcome) bool { return !o.Passed() && !o.Skipped }):
		return outcomes, exitError(exitFailure)
	}
	return outcomes, nil
}

// nameFetched has what is told of files of references named by these. It returns what names a path.
func nameFetched(o *suite.Options, fetched []recipe.Source) (nameOf func(path *string)) {
	o.Recipe = func(workflow string) string {
		i := slices.IndexFunc(fetched, func(r recipe.Source) bool { return r.File == workflow })
		if i < 0 {
			return ""
		}
		return fetched[i].Reference()
	}
	nameOf = func(path *string) {
		for _, from := range fetched {
			*path = from.NameOf(*path)
		}
	}
	show := o.Observe
	o.Observe = func(outcome *suite.Outcome) {
		nameOf(&outcome.File)
		for i := range outcome.Failures {
			nameOf(&outcome.Failures[i].Pos.File)
		}
		show(outcome)
	}
	return nameOf
}
