package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/internal/report"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/runner/record"
	"github.com/a-seed-11b9befa/flow/runner/unit"
)

// A resumed run is one that is gone on with.
type resumed struct {
	*runner.Beginning
	dir  string
	from []unit.Unit
}

func (p *program) resumeCommand() *cobra.Command {
	f := newRunFlags()
	f.resumes = true
	var from []string
	c := &cobra.Command{
		Use:   "resume [RUN]",
		Short: "Go on with a run that did not succeed",
		Long: `Go on with a run that was killed, was interrupted, failed, or stopped at a limit.
RUN is the id of a run under .flow/runs, or the folder of a run; without it the
last one that did not succeed is meant. What had succeeded is kept, and is not
paid for again; a conversation that was cut off goes on where it was. Inputs and
workspace are the run's. Results and exit codes are those of flow run.`,
		Args: arguments(0, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			r, err := findResumed(args, from)
			if err != nil {
				return err
			}
			seclude()
			return underSignals(func(ctx context.Context) error { return p.resume(ctx, r, f) })
		},
	}
	f.register(p, c)
	c.Flags().StringArrayVar(&from, "from", nil, "take up a `unit` anew, such as pages[3], with all that depends on it (repeatable)")
	c.ValidArgsFunction = runWords
	completeFlags(c, map[string]completer{"model": modelWords})
	return c
}

// findResumed finds the run, and the units that are to be taken up anew.
func findResumed(args, from []string) (*resumed, error) {
	r := &resumed{}
	for _, text := range from {
		u, err := unit.Parse(text)
		if err != nil {
			return nil, usage("a unit is a step such as lint, pages[3] or loop/fix", "--from: %v", err)
		}
		r.from = append(r.from, u)
	}
	var err error
	if len(args) == 0 {
		r.dir, r.Beginning, err = host.LastUnfinished(report.RunsFolder, len(from) > 0)
		return r, err
	}
	if r.dir, err = findRun(args); err != nil {
		return nil, err
	}
	r.Beginning, err = runner.ReadBeginning(r.dir)
	return r, unresumable(r.dir, err)
}

func unresumable(dir string, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, os.ErrNotExist) {
		err = errors.New("it has no journal.jsonl: an older flow has run it")
	}
	return usage("run the workflow again", "%s: it can't be gone on with: %v", dir, paths.Cause(err))
}

// resume goes on with the run. What succeeded is printed as it was.
func (p *program) resume(ctx context.Context, r *resumed, f *runFlags) error {
	p.stderr.Follow(ctx)
	defer p.stderr.Settle()
	err := p.resumeWorkflow(ctx, r, f)
	if _, told := asExit(err); err == nil || told {
		return err
	}
	return exitError(p.conclude(err))
}

func (p *program) resumeWorkflow(ctx context.Context, r *resumed, f *runFlags) error {
	if r.Status == record.Succeeded && len(r.from) == 0 {
		result, err := runner.ReadResult(r.dir)
		if err != nil {
			return unresumable(r.dir, err)
		}
		return (&session{program: p, flags: f}).printResult(ctx, result)
	}
	r.options(f)
	w, err := p.complainOf(host.Load(r.File, p.loadOptions(ctx, r.File)))
	if err != nil {
		return err
	}
	if err := f.checkTargets(w); err != nil {
		return err
	}
	if err := w.CheckResumption(r.Beginning); err != nil {
		return err
	}
	s := &session{program: p, flags: f, workflow: w.Workflow, resumed: r, mask: w.Mask(), secrets: w.Secrets()}
	p.stderr.Hide(s.mask.String)
	if err := s.openHost(ctx, w); err != nil {
		return err
	}
	s.closers = append(s.closers, s.host.Close)
	return s.run(ctx)
}

// options are those of the run, where the command line says nothing else.
func (r *resumed) options(f *runFlags) {
	f.workspace, f.runDir = filepath.FromSlash(r.Workspace), r.dir
	if f.model == "" {
		f.model = r.Options.Model
	}
	if f.maxParallel == 0 {
		f.maxParallel = countFlag(r.Options.MaxParallel)
	}
	if f.budget.usd == nil {
		f.budget.usd = r.Options.BudgetUSD
	}
}
