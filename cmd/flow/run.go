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
	"github.com/a-seed-11b9befa/flow/internal/signals"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/runner/view"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools/shell"
)

// runFlags are the flags of flow run: the options of its session, and flags that become some.
type runFlags struct {
	session.Options
	inputs    flags.Inputs
	prices    string // a file
	noCache   bool
	cacheOnly bool
	logLevel  string // "": not given
	verbose   bool
	quiet     bool
	accept    bool
	consent   host.Consent
	setups    []authority.Command // of tests of the recipe
	serves    bool                // the terminal, if there is one, is a client's
}

func (p *program) runCommand() *cobra.Command {
	f := &runFlags{}
	c := &cobra.Command{
		Use:   "run FILE",
		Short: "Run a workflow",
		Long: `Run a workflow. Its results go to standard output; what it does is told on
standard error, and kept in a folder of the run (see flow show).

The exit code is 0 for success, 1 where a step failed, 2 where nothing ran,
3 for a mistake of the set-up (a model, a key), 4 for a provider that failed,
5 for a limit, 6 for a denial, 7 for a rate limit, 8 for an output that does not
fit, 9 where the run waits for a person, 130 and 143 after SIGINT and SIGTERM.`,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := f.check(p); err != nil {
				return err
			}
			return p.atWork(func(ctx context.Context) error { return p.runFile(ctx, args[0], f) })
		},
	}
	set := c.Flags()
	set.SortFlags = false // but as they are added
	f.inputs.Register(set)
	set.Var(flags.Text(&f.Host.Workspace), "workspace", "the `folder` that the workflow works in (default: as it says, else the current one)")
	set.Var(flags.Text(&f.Host.Dir), "run-dir", "the `folder` that the run is kept in (default: .flow/runs/<run-id>)")
	f.register(p, set)
	f.registerGrants(set)
	set.BoolVar(&f.Host.PlanOnly, "dry-run", false, "show plan, models and permissions, and run nothing")
	return c
}

// register adds the flags of a run, whether it begins or is resumed.
func (f *runFlags) register(p *program, set *pflag.FlagSet) {
	addModel(set, &f.Host.Model)
	set.Var(flags.OneOf(&f.OnAsk, session.Deny, session.Deny, session.Allow, session.Fail, session.Wait), "on-ask", "the answer to calls that have to be asked for; without it a terminal is asked")
	set.Var(flags.Of(&f.Host.MaxParallel, "n", "", quantity.ParseNumber), "max-parallel", "how many steps and elements run at once")
	f.addGrace(set, "an interrupt")
	set.Var(flags.Of(&f.Host.BudgetUSD, "USD", "", quantity.ParseUSD), "budget-usd", "what the run may cost; 0 allows nothing that costs")
	set.Var(flags.Text(&f.prices), "prices", "a `file` of what models cost, which goes before what flow knows")
	addFile(set, &f.Record, "record", "write what the models answer to a `file`, as a script")
	set.BoolVar(&f.noCache, "no-cache", false, "ask models, also where the workflow says cache, and keep nothing")
	set.BoolVar(&f.cacheOnly, "cache-only", false, "ask no model: an answer that is not kept is an error")
	addFile(set, &f.Events, "events", "write all events to a `file`, as JSON lines; - is standard output")
	f.Reports = []session.Report{
		{Write: (*ci.Report).WriteJUnit},
		{Write: func(r *ci.Report, w io.Writer) error { return r.WriteSARIF(w, version()) }},
		{Write: (*ci.Report).WriteSummary},
	}
	addFile(set, &f.Reports[0].File, "junit", "write a report of the steps to a `file`, as JUnit")
	addFile(set, f.sarif(), "sarif", "write the findings to a `file`, as SARIF")
	addFile(set, &f.Reports[2].File, "summary", "write a summary to a `file`, as Markdown")
	p.addOutput(set, "what is printed as the result", session.FormatNone)
	set.Var(flags.OneOf(&f.logLevel, "off", "trace", "debug", "info", "warn", "error", "off"), "log-level", "log to standard error")
	set.BoolVar(&f.verbose, "verbose", false, "tell of each element of a foreach what is told of a step")
	set.BoolVar(&f.quiet, "quiet", false, "tell only what went wrong")
	set.BoolVar(&f.Silent, "log-json", false, "log JSON lines, in place of progress")
	p.addNoColor(set)
	p.addOffline(set)
}

// registerGrants adds the flags that stand for a person who confirms a recipe.
func (f *runFlags) registerGrants(set *pflag.FlagSet) {
	set.BoolVar(&f.accept, "accept", false, "run the recipe of a reference as it is now, with all that it asks for")
	set.Func("grant", "let the recipe of a reference have `commands`, tools, env=NAME, secrets=NAME, mcp=NAME or addresses=HOST (repeatable)", f.consent.Add)
}

// addGrace adds --grace.
func (f *runFlags) addGrace(set *pflag.FlagSet, after string) {
	f.Host.Grace = 10 * time.Second
	set.Var(flags.Of(&f.Host.Grace, "time", f.Host.Grace.String(), quantity.ParseTime), "grace", "how long steps with always() have after "+after+"; 0: they don't run then")
}

// addFile adds the flag of a file that is written beside the run.
func addFile(set *pflag.FlagSet, into *session.File, name, usage string) {
	into.Name = "--" + name
	set.Var(flags.Text(&into.Path), name, usage)
}

func (f *runFlags) sarif() *session.File { return &f.Reports[1].File }

// check refuses flags that contradict each other, and completes what follows from them.
func (f *runFlags) check(p *program) (err error) {
	if f.Format = p.format; f.Events.Path == "-" {
		f.Format = session.FormatNone
	}
	if p.format != "" && p.format != f.Format {
		return steps.Invalid("write the events to a file, or leave --output out", "--events - and --output %s: both want standard output", p.format)
	}
	switch {
	case f.noCache && f.cacheOnly:
		return steps.Invalid("", "--no-cache and --cache-only: nothing could be answered")
	case f.verbose && f.quiet:
		return steps.Invalid("", "--verbose and --quiet: one tells more, the other less")
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

// atWork runs work that has keys, until it ends or a signal comes, to its exit code.
func (p *program) atWork(work func(ctx context.Context) error) error {
	shell.Seclude()
	return underSignals(func(ctx context.Context) error {
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
	if f.Host.Cache, err = p.cache(f); err != nil {
		return err
	}
	f.Output, f.Paint, f.Log, f.Say = p.results(), p.painter(p.stderr), report.NewLog(p.stderr, f.logLevel, f.Silent), func(message string) { p.say(message, "") }
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
	if errors.As(end.Cause, &interrupted) && end.Result.Status == steps.Cancelled {
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
