package main

import (
	"errors"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/a-seed-11b9befa/flow/internal/flags"
	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/internal/report"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/runner/view"
	"github.com/a-seed-11b9befa/flow/steps"
)

func (p *program) runsCommand() *cobra.Command {
	var chosen view.Choice
	c := &cobra.Command{
		Use:   "runs",
		Short: "List the runs, or remove some",
		RunE: func(*cobra.Command, []string) error {
			runs, err := runsOf(chosen)
			if err != nil {
				return err
			}
			return p.tell(runs, func() string {
				wide, _ := term.Size(p.Stdout)
				return p.colored(report.Runs(runs, host.RunsFolder, chosen != view.Choice{}, wide))
			})
		},
	}
	choose(c.Flags(), &chosen)
	c.Flags().Var(flags.Of(&chosen.Since, "age", "", quantity.ParseAge), "since", "only runs that are newer than `age`: 7d, 12h")
	p.addOutput(c.Flags(), "output format")
	c.AddCommand(p.removeRunsCommand(), p.pruneRunsCommand())
	return c
}

// choose adds the flags that choose runs.
func choose(set *pflag.FlagSet, chosen *view.Choice) {
	states := []string{string(view.Running), string(view.Waiting), string(steps.Succeeded), string(steps.Failed), string(steps.Stopped), string(steps.Cancelled), string(view.CutOff), string(view.InPart)}
	set.Var(flags.OneOf((*string)(&chosen.State), "", states...), "state", "only runs in this state")
	set.Var(flags.Text(&chosen.Workflow), "workflow", "only runs of the workflow with this `name`")
}

// runsOf returns the chosen runs.
func runsOf(chosen view.Choice) ([]*view.Summary, error) {
	runs, err := chosen.List(host.RunsFolder)
	if err != nil {
		err = steps.Invalid("", "%s: %v", host.RunsFolder, paths.Cause(err))
	}
	return runs, err
}

func (p *program) removeRunsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "rm RUN…",
		Short: "Remove runs",
		RunE: func(_ *cobra.Command, args []string) error {
			var failed []error
			for _, id := range args {
				dir, err := journal.FindBelow(host.RunsFolder, id)
				if err == nil {
					err = journal.Remove(host.RunsFolder, filepath.Base(dir))
				}
				if err != nil {
					failed = append(failed, notRemoved(id, err))
				}
			}
			return errors.Join(failed...)
		},
	}
}

// notRemoved is the error for a run that can't be removed.
func notRemoved(id string, err error) error {
	if errors.Is(err, journal.ErrNoRun) {
		return steps.Invalid("to list the runs: flow runs", "there is no run %q under %s", id, host.RunsFolder)
	}
	return steps.Invalid("", "%s is not removed: %v", term.Visible(id), paths.Cause(err))
}

func (p *program) pruneRunsCommand() *cobra.Command {
	chosen := view.Choice{Old: true}
	c := &cobra.Command{
		Use:   "prune",
		Short: "Remove old runs",
		RunE:  func(*cobra.Command, []string) error { return p.pruneRuns(chosen) },
	}
	choose(c.Flags(), &chosen)
	c.Flags().Var(flags.Of(&chosen.Older, "age", "", quantity.ParseAge), "older-than", "only runs that are older than `age`: 30d, 12h")
	c.Flags().Var(flags.Of(&chosen.Keep, "n", "", quantity.ParseNumber), "keep", "the number of newest runs to keep, whatever their age")
	return c
}

// pruneRuns removes old runs, the oldest first, and prints their names.
func (p *program) pruneRuns(chosen view.Choice) error {
	if chosen.Older == 0 && chosen.Keep == 0 {
		return steps.Invalid("for example: flow runs prune --older-than 30d --keep 20", "flow runs prune needs an age, a number of runs to keep, or both")
	}
	runs, err := runsOf(chosen)
	if err != nil {
		return err
	}
	for _, g := range slices.Backward(runs) {
		id := filepath.Base(g.Folder)
		var locked *journal.Locked
		if err := journal.Remove(host.RunsFolder, id); errors.As(err, &locked) || errors.Is(err, journal.ErrNoRun) {
			continue // it is gone on with since, or gone
		} else if err != nil {
			return notRemoved(id, err)
		}
		if err := p.Text("removed " + term.Visible(id) + "\n"); err != nil {
			return err
		}
	}
	return nil
}
