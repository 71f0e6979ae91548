package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a-seed-11b9befa/flow/internal/paths"
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
		return r, r.findLast(filepath.Join(".flow", "runs"))
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

// findLast finds the last run that did not succeed.
func (r *resumed) findLast(runs string) error {
	entries, err := os.ReadDir(runs)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return usage("", "%s: %v", runs, paths.Cause(err))
	}
	for _, entry := range slices.Backward(entries) {
		dir := filepath.Join(runs, entry.Name())
		began, err := runner.ReadBeginning(dir)
		if err == nil && (began.Status != record.Succeeded || len(r.from) > 0) {
			r.dir, r.Beginning = dir, began
			return nil
		}
	}
	return usage("name a run, or the folder of one", "no run under %s is unfinished", runs)
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
	w, err := p.complainOf(host.Load(r.File, host.LoadOptions{Environment: p.environment()}))
	if err != nil {
		return err
	}
	if err := f.checkTargets(w); err != nil {
		return err
	}
	if err := r.check(w); err != nil {
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

// check refuses to go on with a run whose files are others now, or of which not all
// inputs are known.
func (r *resumed) check(w *host.Loaded) error {
	now := w.Digests()
	var changed []string
	for file, sum := range r.Files {
		if now[file] != sum {
			changed = append(changed, file)
		}
	}
	for file := range now {
		if _, known := r.Files[file]; !known {
			changed = append(changed, file)
		}
	}
	slices.Sort(changed)
	if len(changed) > 0 {
		return usage("put them back as they were, or run the workflow again", "the run was made of other files: %s changed", strings.Join(changed, ", "))
	}
	for name, value := range r.Inputs {
		if strings.Contains(fmt.Sprint(value), "***") {
			return usage("run the workflow again", "input %q held a secret, which is not in the run's folder", name)
		}
	}
	return nil
}
