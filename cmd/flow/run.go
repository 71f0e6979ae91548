package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/a-seed-11b9befa/flow/internal/authority"
	"github.com/a-seed-11b9befa/flow/internal/ci"
	"github.com/a-seed-11b9befa/flow/internal/flags"
	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/internal/report"
	"github.com/a-seed-11b9befa/flow/internal/session"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/runner/view"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools/shell"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// runFlags are the flags of flow run: the options of its session, and flags that become some.
type runFlags struct {
	session.Options
	inputs                flags.Inputs
	prices                string // a file
	junit, sarif, summary session.File
	noCache, cacheOnly    bool
	logLevel              string // "": not given
	verbose, quiet        bool
	accept                bool
	consent               host.Consent
	setups                []authority.Command // of tests of the recipe
	serves                bool                // the terminal, if there is one, is a client's
}

func (p *program) runCommand() *cobra.Command {
	f := &runFlags{}
	c := &cobra.Command{
		Use:   "run FILE",
		Short: "Run a workflow",
		RunE: func(_ *cobra.Command, args []string) error {
			if err := f.check(p); err != nil {
				return err
			}
			return atWork(func(ctx context.Context) error { return p.runFile(ctx, args[0], f) })
		},
	}
	set := c.Flags()
	f.inputs.Register(set)
	set.Var(flags.Text(&f.Host.Workspace), "workspace", "the workspace `folder` (default: as in the workflow, else the current folder)")
	set.Var(flags.Text(&f.Host.Dir), "run-dir", "the `folder` for the run's records (default: .flow/runs/<run-id>)")
	f.register(p, c)
	f.registerGrants(set)
	set.BoolVar(&f.Host.PlanOnly, "dry-run", false, "print the plan, as flow plan does; run nothing")
	return c
}

// register adds the flags of a run, whether it begins or is resumed.
func (f *runFlags) register(p *program, c *cobra.Command) {
	set := c.Flags()
	addModel(set, &f.Host.Model)
	set.Var(flags.OneOf(&f.OnAsk, "", session.Deny, session.Allow, session.Fail, session.Wait), "on-ask", "the answer to calls that need approval (default: ask on the terminal)")
	set.Var(flags.OneOf(&p.sandbox, "", string(workflows.LevelHeld), string(workflows.LevelLandlock)), "sandbox", "the least sandbox for commands, which no file lowers (default: as in the files)")
	f.addSpending(set)
	f.addGrace(set, "an interrupt")
	addFile(set, &f.Record, "record", "record the models' answers in a `file`, as a script")
	set.BoolVar(&f.noCache, "no-cache", false, "always ask the models, and cache no answers")
	set.BoolVar(&f.cacheOnly, "cache-only", false, "use cached answers only; fail if one is missing")
	addFile(set, &f.Events, "events", "write all events to a `file`, as JSON lines; - is standard output")
	addFile(set, &f.junit, "junit", "write a report of the steps to a `file`, as JUnit")
	addFile(set, &f.sarif, "sarif", "write the findings to a `file`, as SARIF")
	addFile(set, &f.summary, "summary", "write a summary to a `file`, as Markdown")
	p.addOutput(set, "output format of the result", session.FormatNone)
	set.Var(flags.OneOf(&f.logLevel, "off", "trace", "debug", "info", "warn", "error", "off"), "log-level", "log to standard error")
	set.BoolVar(&f.verbose, "verbose", false, "show a line for each element")
	set.BoolVar(&f.quiet, "quiet", false, "show only what went wrong")
	set.BoolVar(&f.Silent, "log-json", false, "log JSON lines instead of progress")
	p.addOffline(set)
	c.MarkFlagsMutuallyExclusive("no-cache", "cache-only")
	c.MarkFlagsMutuallyExclusive("verbose", "quiet")
}

// addSpending adds the flags on which the cost of a run depends.
func (f *runFlags) addSpending(set *pflag.FlagSet) {
	set.Var(flags.Of(&f.Host.MaxParallel, "n", "", quantity.ParseNumber), "max-parallel", "the number of steps and elements that run at once")
	set.Var(flags.Of(&f.Host.BudgetUSD, "USD", "", quantity.ParseUSD), "budget-usd", "cost limit for the run; 0 allows only free requests")
	set.Var(flags.Text(&f.prices), "prices", "a `file` with prices of models, which override flow's own")
}

// registerGrants adds the flags that stand for a person who confirms a recipe.
func (f *runFlags) registerGrants(set *pflag.FlagSet) {
	set.BoolVar(&f.accept, "accept", false, "run the current version of a recipe, and grant all that it needs")
	set.Var(flags.Each(f.consent.Add), "grant", "grant a recipe `commands`, tools, env=NAME, secrets=NAME, mcp=NAME or addresses=HOST (repeatable)")
}

// addGrace adds --grace.
func (f *runFlags) addGrace(set *pflag.FlagSet, after string) {
	f.Host.Grace = 10 * time.Second
	set.Var(flags.Of(&f.Host.Grace, "time", f.Host.Grace.String(), quantity.ParseTime), "grace", "time for steps with always() after "+after+"; 0: none")
}

// addFile adds the flag of a file that is written beside the run.
func addFile(set *pflag.FlagSet, into *session.File, name, usage string) {
	into.Name = "--" + name
	set.Var(flags.Text(&into.Path), name, usage)
}

// check refuses flags that contradict each other, and completes what follows from them.
func (f *runFlags) check(p *program) (err error) {
	if f.Events.Path == "-" {
		if p.format != "" && p.format != session.FormatNone {
			return steps.Invalid("write the events to a file, or remove --output", "--events - and --output %s can't be used together, because both write to standard output", p.format)
		}
		p.format = session.FormatNone
	}
	switch {
	case f.verbose:
		f.Detail = view.All
	case f.quiet:
		f.Detail = view.Failures
	}
	if f.logLevel == "" && f.Silent {
		f.logLevel = "info"
	}
	if f.prices != "" {
		if f.Host.Prices, err = host.ReadPrices(f.prices); err != nil {
			return fmt.Errorf("--prices %w", err)
		}
	}
	return nil
}

// atWork runs work that has keys, until it ends or a signal comes.
func atWork(work func(ctx context.Context) error) error {
	shell.HideMemory()
	return underSignals(work)
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
	if f.sarif.Path != "" && f.Host.Loaded.Workflow.Findings == nil {
		return steps.Invalid("name the list of findings in the workflow: findings: ${{ … }}", "--sarif: the workflow has no findings")
	}
	f.Host.Mask = f.Host.Loaded.Mask()
	p.Hide(f.Host.Mask)
	if f.Host.Cache, err = p.cache(f); err != nil {
		return err
	}
	f.Reports = []session.Report{
		{File: f.junit, Write: (*ci.Report).WriteJUnit},
		{File: f.sarif, Write: func(r *ci.Report, w io.Writer) error { return r.WriteSARIF(w, version()) }},
		{File: f.summary, Write: (*ci.Report).WriteSummary},
	}
	if f.Host.PlanOnly {
		if err := f.CheckTargets(); err != nil {
			return err
		}
		return p.plan(ctx, f.Host)
	}
	f.Output, f.Paint, f.Log, f.Say = p.Output, p.painter(p.Screen), report.NewLog(p.Screen, f.logLevel, f.Silent, f.Host.Mask), func(message string) { p.say(message, "") }
	s, err := session.Open(ctx, f.Options)
	if err != nil {
		return err
	}
	p.render(s.Warnings())
	end, err := s.Run(ctx)
	if err != nil {
		return err
	}
	return p.finish(end)
}

// finish prints the result, and the errors of outputs, and returns the exit code.
func (p *program) finish(end *session.End) error {
	code := codeOfResult(end.Result)
	var interrupted *interruption
	if errors.As(end.Cause, &interrupted) && end.Result.Status == steps.Cancelled {
		code = codeOfSignal(interrupted.Signal)
	}
	for _, err := range []error{p.Result(end.Result, p.format), end.WriteErr} {
		if err != nil {
			p.complain(err)
			code = cmp.Or(code, exitFailure)
		}
	}
	return exitWith(code)
}

// cache configures the cache of models' answers.
func (p *program) cache(f *runFlags) (host.Cache, error) {
	if f.noCache {
		return host.Cache{Off: true}, nil
	}
	dir, err := host.CacheDir(p.lookup)
	if f.cacheOnly {
		return host.Cache{Dir: dir, Only: true}, err
	}
	return host.Cache{Dir: dir, Err: err}, nil
}
