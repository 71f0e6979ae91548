package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/a-seed-11b9befa/flow/internal/ci"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/suite"
	"github.com/a-seed-11b9befa/flow/runner/view"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// testFlags are what flow test is told on its command line.
type testFlags struct {
	run         string
	failFast    bool
	keep        bool
	update      bool
	verbose     bool
	cover       bool
	live        bool
	model       string
	times       countFlag
	maxParallel countFlag
	junit       string
}

func (p *program) testCommand() *cobra.Command {
	var f testFlags
	c := &cobra.Command{
		Use:   "test [FILE|FOLDER…]",
		Short: "Run the tests of workflows, with scripted models",
		Long: `Run test files, whose names end with .test.yaml: the ones that are named, or all in
and below the folders that are named; the current folder unless told.

Each case runs its workflow with a scripted model, in a workspace of its own, and
no network and no key. What differs from what is expected goes to standard output.
The exit code is 0, 1 where a case failed, 2 where a test file is wrong.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, names []string) error {
			if len(names) == 0 {
				names = []string{"."}
			}
			return underSignals(func(ctx context.Context) error { return p.test(ctx, names, f) })
		},
	}
	flags := c.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.run, "run", "", "only cases whose file and name, as \"file: name\", a `regexp` fits")
	flags.BoolVar(&f.failFast, "failfast", false, "begin no case after one that failed")
	flags.BoolVar(&f.keep, "keep", false, "keep the folders of cases that passed, too")
	flags.BoolVar(&f.update, "update", false, "write what is seen where ${{ seen }} or a golden file stands")
	flags.Var(&f.maxParallel, "max-parallel", "how many cases run at once")
	flags.BoolVar(&f.cover, "cover", false, "say which steps, rules and ways of conditions no case reached")
	flags.BoolVar(&f.live, "live", false, "ask a real model, which --model names, in place of the scripts")
	flags.Func("model", "with --live: the model of every step, as `provider/model`", takeModel(&f.model))
	flags.Var(&f.times, "times", "with --live: how often each case runs")
	flags.StringVar(&f.junit, "junit", "", "write a report of the cases to a `file`, as JUnit")
	flags.BoolVar(&f.verbose, "verbose", false, "tell of cases that passed, too")
	flags.BoolVar(&p.noColor, "no-color", false, "print without colours")
	c.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return []string{"yaml"}, cobra.ShellCompDirectiveFilterFileExt
	}
	return c
}

// options are what a suite is told.
func (f testFlags) options(p *program, t *testTeller) (suite.Options, error) {
	o := suite.Options{
		Environment: p.environment(), FailFast: f.failFast, Keep: f.keep, Update: f.update, Parallel: int(f.maxParallel),
		Exit: exitOf, Observe: t.tell,
	}
	switch {
	case f.live && f.model == "":
		return o, usage("such as --model openai/gpt-5-mini", "--live: no model is named")
	case f.live && f.update:
		return o, usage("what a real model does differs each time", "--live and --update don't go together")
	case !f.live && (f.model != "" || f.times > 0):
		return o, usage("", "--model and --times go with --live: a test asks no real model")
	}
	o.Live, o.Times = f.model, int(f.times)
	if f.cover {
		o.Cover = new(suite.Coverage)
	}
	if f.run != "" {
		var err error
		if o.Only, err = regexp.Compile(f.run); err != nil {
			return o, usage("", "--run: %v", err)
		}
	}
	return o, nil
}

// exitOf is the exit code that flow run would have.
func exitOf(r *runner.Result, err error) int {
	if err != nil {
		if found, is := err.(workflows.Diagnostics); is {
			return codeOfDiagnostics(found)
		}
		return codeBefore(err)
	}
	switch {
	case r.Status == steps.Succeeded:
		return exitSuccess
	case r.Error == nil:
		return exitFailure
	}
	return codeOf(r.Error.Kind)
}

// test runs test files, from reading them to the exit code.
func (p *program) test(ctx context.Context, names []string, f testFlags) error {
	t := &testTeller{program: p, verbose: f.verbose || f.keep, began: time.Now()}
	o, err := f.options(p, t)
	if err != nil {
		return err
	}
	s, found := suite.Load(names, o)
	p.render(found)
	if found.HasErrors() {
		return exitError(exitUsage)
	}
	var report io.WriteCloser
	if f.junit != "" {
		if report, err = openForWriting(ctx, f.junit); err != nil {
			return usage("", "--junit: %v", err)
		}
		defer report.Close()
	}
	defer s.Close()
	outcomes, err := s.Run(ctx)
	if err != nil {
		return err
	}
	if report != nil {
		if err := ci.WriteCases(report, casesOf(outcomes)); err != nil {
			return fmt.Errorf("--junit: %w", err)
		}
	}
	if f.live {
		io.WriteString(p.stdout, heldText(outcomes))
	}
	if o.Cover != nil && len(outcomes) > 0 {
		io.WriteString(p.stdout, coverageText(o.Cover))
	}
	return t.conclude(ctx, outcomes, o.Only != nil)
}

// heldText says how often each case held, and what all of them cost.
func heldText(outcomes []*suite.Outcome) string {
	var b strings.Builder
	var cost float64
	known := true
	for from := 0; from < len(outcomes); {
		held, ran, to := 0, 0, from
		for ; to < len(outcomes) && outcomes[to].File == outcomes[from].File && outcomes[to].Name == outcomes[from].Name; to++ {
			o := outcomes[to]
			if o.Passed() {
				held++
			}
			if !o.Skipped {
				ran++
			}
			if o.Result != nil {
				cost += o.Result.Cost.USD
				known = known && o.Result.Cost.Known
			}
		}
		fmt.Fprintf(&b, "%d of %d held  %s\n", held, ran, term.Visible(outcomes[from].File+": "+outcomes[from].Name))
		from = to
	}
	said := "cost: " + view.Dollars(cost)
	if !known {
		said = "cost: unknown"
	}
	return b.String() + said + "\n"
}

// coverageText says what no case reached, by workflow.
func coverageText(c *suite.Coverage) string {
	var b strings.Builder
	files, reached, all := c.Files()
	for _, file := range files {
		fmt.Fprintf(&b, "%s: %d of %d reached\n", term.Visible(file), reached[file], all[file])
		for _, p := range c.Points() {
			if p.Pos.File == file && !p.Reached {
				fmt.Fprintf(&b, "  %s: %s\n", term.Visible(p.Pos.String()), term.Visible(p.What))
			}
		}
	}
	return b.String()
}

// casesOf are outcomes as a CI system is told them.
func casesOf(outcomes []*suite.Outcome) []ci.Case {
	var cases []ci.Case
	for _, o := range outcomes {
		c := ci.Case{Suite: filepath.ToSlash(o.File), Name: o.Name, File: filepath.ToSlash(o.File), Line: o.Pos.Line, Took: o.Took, Skipped: o.Skipped}
		for _, failure := range o.Failures {
			c.Failures = append(c.Failures, failure.Text())
		}
		cases = append(cases, c)
	}
	return cases
}

// A testTeller tells of cases as they end.
type testTeller struct {
	*program
	verbose bool
	began   time.Time
}

// tell prints a case that failed, with what differs.
func (t *testTeller) tell(o *suite.Outcome) {
	var b strings.Builder
	paint := t.painterOf()
	switch {
	case o.Skipped:
		return
	case o.Passed() && !t.verbose:
		return
	case o.Passed():
		fmt.Fprintf(&b, "%s  %s (%s)\n", paint.Green("ok"), term.Visible(o.File+": "+o.Name), view.Took(o.Took))
	default:
		fmt.Fprintf(&b, "%s  %s (%s)\n", paint.Red("FAILED"), term.Visible(o.File+": "+o.Name), view.Took(o.Took))
	}
	for _, failure := range o.Failures {
		for line := range strings.Lines(failure.Text()) {
			fmt.Fprintf(&b, "  %s\n", paintedDiff(paint, term.Visible(strings.TrimSuffix(line, "\n"))))
		}
	}
	if o.Dir != "" && o.Result != nil {
		fmt.Fprintf(&b, "  all that it did: flow show %s\n", term.Visible(filepath.Join(o.Dir, "run")))
	}
	if o.Dir != "" {
		fmt.Fprintf(&b, "  its files: %s\n", term.Visible(filepath.Join(o.Dir, "workspace")))
	}
	t.stdout.Write([]byte(b.String()))
}

// painterOf colours what goes to standard output.
func (t *testTeller) painterOf() term.Painter {
	return term.Painter{On: !t.noColor && t.env("NO_COLOR") == "" && term.IsTerminal(t.stdout)}
}

// paintedDiff colours a line of a difference.
func paintedDiff(paint term.Painter, line string) string {
	switch trimmed := strings.TrimLeft(line, " "); {
	case len(line)-len(trimmed) < 4:
	case strings.HasPrefix(trimmed, "+"):
		return paint.Green(line)
	case strings.HasPrefix(trimmed, "-"):
		return paint.Red(line)
	}
	return line
}

// plural is a number of things.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// conclude prints what all cases came to, and returns what the program ends with.
func (t *testTeller) conclude(ctx context.Context, outcomes []*suite.Outcome, chosen bool) error {
	failed, skipped := 0, 0
	for _, o := range outcomes {
		switch {
		case o.Skipped:
			skipped++
		case !o.Passed():
			failed++
		}
	}
	if len(outcomes) == 0 && chosen {
		return usage("", "--run: no case fits")
	}
	line := fmt.Sprintf("%s passed in %s", plural(len(outcomes)-skipped, "case", "cases"), view.Took(time.Since(t.began)))
	if failed > 0 {
		line = fmt.Sprintf("%d of %s failed in %s", failed, plural(len(outcomes), "case", "cases"), view.Took(time.Since(t.began)))
	}
	if skipped > 0 {
		line += fmt.Sprintf(", %d did not run", skipped)
	}
	fmt.Fprintln(t.stdout, line)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case failed > 0:
		return exitError(exitFailure)
	}
	return nil
}
