package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/internal/report"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/runner/view"
	"github.com/a-seed-11b9befa/flow/steps"
)

// runsFlags say which runs are meant.
type runsFlags struct {
	state    choice
	workflow string
	since    time.Duration // 0: whenever
	output   choice
	older    time.Duration
	keep     int
}

func newRunsFlags() *runsFlags {
	states := []string{string(view.Running), string(view.Waiting), string(steps.Succeeded), string(steps.Failed), string(steps.Stopped), string(steps.Cancelled), string(view.CutOff)}
	return &runsFlags{state: choice{allowed: states}, output: oneOf(outputText, outputJSON)}
}

func (p *program) runsCommand() *cobra.Command {
	f := newRunsFlags()
	c := &cobra.Command{
		Use:   "runs",
		Short: "List the runs, or remove some",
		Long: `List the runs under .flow/runs, the newest first: id, workflow, state, when it
began, how long it took, what it cost, and what failed first.`,
		Args: arguments(0, 0),
		RunE: func(*cobra.Command, []string) error { return p.listRuns(f) },
	}
	f.choose(c)
	c.Flags().Var(flagOf(&f.since, "age", age), "since", "runs that began no longer `ago` than this: 7d, 12h")
	c.Flags().Var(&f.output, "output", "how it is printed")
	c.AddCommand(p.removeRunsCommand(), p.pruneRunsCommand())
	return c
}

// choose adds the flags by which runs are chosen.
func (f *runsFlags) choose(c *cobra.Command) {
	c.Flags().Var(&f.state, "state", "runs in this state")
	c.Flags().StringVar(&f.workflow, "workflow", "", "runs of the workflow of this `name`")
}

// chosen are the runs that are meant.
func (f *runsFlags) chosen(since time.Duration) ([]*view.Glance, error) {
	runs, err := journal.Runs(host.RunsFolder)
	if err != nil {
		return nil, usage("", "%s: %v", host.RunsFolder, paths.Cause(err))
	}
	chosen := []*view.Glance{}
	for _, dir := range runs {
		g := view.GlanceAt(dir)
		if f.state.value != "" && string(g.State) != f.state.value || f.workflow != "" && g.Workflow != f.workflow {
			continue
		}
		if since > 0 && time.Since(g.Began) > since {
			break // those that follow are older
		}
		chosen = append(chosen, g)
	}
	return chosen, nil
}

func (p *program) listRuns(f *runsFlags) error {
	runs, err := f.chosen(f.since)
	if err != nil {
		return err
	}
	return p.tell(f.output.value, runs, func() string {
		if len(runs) == 0 {
			return fmt.Sprintf("no runs under %s\n", host.RunsFolder)
		}
		return report.Runs(runs)
	})
}

func (p *program) removeRunsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "rm RUN...",
		Short: "Remove runs",
		Long: `Remove runs under .flow/runs by their ids, with all that is in their folders. A run
that a process works in is not removed.`,
		Args: arguments(1, 1000),
		RunE: func(_ *cobra.Command, args []string) error {
			var failed []error
			for _, id := range args {
				failed = append(failed, removeRun(id))
			}
			return errors.Join(failed...)
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			ids, directive := runWords(nil, nil, "")
			return slices.DeleteFunc(ids, func(id string) bool { return slices.Contains(args, id) }), directive
		},
	}
}

func removeRun(id string) error {
	err := journal.Remove(host.RunsFolder, id)
	if err == nil {
		return nil
	}
	if errors.Is(err, journal.ErrNoRun) {
		return usage("flow runs lists them", "there is no run %q under %s", id, host.RunsFolder)
	}
	return usage("", "%s: it is not removed: %v", term.Visible(id), paths.Cause(err))
}

func (p *program) pruneRunsCommand() *cobra.Command {
	f := newRunsFlags()
	c := &cobra.Command{
		Use:   "prune",
		Short: "Remove old runs",
		Long: `Remove the runs under .flow/runs that are older than --older-than, but never the
newest --keep of all, and never one that a process works in. One that waits for a
person is removed with --state waiting only.`,
		Args: arguments(0, 0),
		RunE: func(*cobra.Command, []string) error { return p.pruneRuns(f) },
	}
	f.choose(c)
	c.Flags().Var(flagOf(&f.older, "age", age), "older-than", "runs that began longer `ago`: 30d, 12h")
	c.Flags().Var(flagOf(&f.keep, "n", number), "keep", "how many of the newest are kept, whatever their age")
	return c
}

// pruneRuns removes old runs, and names each.
func (p *program) pruneRuns(f *runsFlags) error {
	if f.older == 0 && f.keep == 0 {
		return usage("for example --older-than 30d --keep 20", "nothing says which runs are old")
	}
	runs, err := journal.Runs(host.RunsFolder)
	if err != nil {
		return usage("", "%s: %v", host.RunsFolder, paths.Cause(err))
	}
	newest := runs[:min(f.keep, len(runs))]
	chosen, err := f.chosen(0)
	if err != nil {
		return err
	}
	for _, g := range slices.Backward(chosen) {
		if slices.Contains(newest, g.Folder) || time.Since(g.Began) < f.older || !f.mayPrune(g) {
			continue
		}
		id := filepath.Base(g.Folder)
		var locked *journal.Locked
		if err := journal.Remove(host.RunsFolder, id); errors.As(err, &locked) || errors.Is(err, journal.ErrNoRun) {
			continue // it is gone on with since, or gone
		} else if err != nil {
			return usage("", "%s: it is not removed: %v", term.Visible(id), paths.Cause(err))
		}
		if _, err := fmt.Fprintf(p.stdout, "removed %s\n", term.Visible(id)); err != nil {
			return err
		}
	}
	return nil
}

// mayPrune reports whether a run may be removed without being named. Of one that
// can't be read nobody knows whether it waits.
func (f *runsFlags) mayPrune(g *view.Glance) bool {
	switch {
	case g.Broken != "" || g.State == view.Running:
		return false
	case g.State == view.Waiting:
		return f.state.value == string(view.Waiting)
	}
	return true
}
