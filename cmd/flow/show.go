package main

import (
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/a-seed-11b9befa/flow/internal/flags"
	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/internal/report"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/runner/unit"
	"github.com/a-seed-11b9befa/flow/runner/view"
	"github.com/a-seed-11b9befa/flow/steps"
)

// showFlags say how a run, or a unit of it, is shown.
type showFlags struct {
	output string
	whole  bool
}

func (p *program) showCommand() *cobra.Command {
	f := &showFlags{}
	c := &cobra.Command{
		Use:   "show [RUN] [UNIT]",
		Short: "Say what a run did, or a part of it: steps, calls, denials, tokens, cost",
		Long: `Say what a run did: what failed first, denials, cost, steps. RUN is the id of a run
under .flow/runs, or the folder of a run; without it, or with "last", the last run
is shown. A run that was killed is shown as far as it had come, and one that goes on
as far as it is.

UNIT is a step, such as lint or loop/fix, or an element of one, pages[3]: its prompt,
each turn, each call with its answer and its rule, its checks, its result.`,
		Args: flags.Arguments(0, 2),
		RunE: func(_ *cobra.Command, args []string) error {
			dir, err := findRun(args)
			if err != nil {
				return err
			}
			if len(args) < 2 {
				return p.show(dir, f)
			}
			u, err := unit.Parse(args[1])
			if err != nil {
				return steps.Invalid("a unit is a step such as lint, pages[3] or loop/fix", "%v", err)
			}
			return p.showUnit(dir, u, f)
		},
	}
	addOutput(c.Flags(), &f.output, "how it is printed; jsonl is a line for each step or, of a foreach, for each element", outputJSONL)
	c.Flags().BoolVar(&f.whole, "transcript", false, "of a unit: all of the conversation")
	c.ValidArgsFunction = runAndUnitWords
	return c
}

// unreadable is the error for a folder that can't be read as that of a run.
func unreadable(dir string, err error) error {
	var broken *journal.Error
	switch {
	case errors.Is(err, journal.ErrNewer):
		return steps.Invalid("read it with the flow that has written it, or a newer one", "%v", err)
	case errors.As(err, &broken):
		return steps.Invalid("nothing in its folder was changed", "%v", err)
	}
	return steps.Invalid("", "%s can't be read as the folder of a run: %v", dir, paths.Cause(err))
}

// show prints the report of a folder.
func (p *program) show(dir string, f *showFlags) error {
	if f.output == outputJSON || f.output == outputJSONL {
		return p.showResult(dir, f)
	}
	past, err := view.ReadPast(dir)
	if err != nil {
		return unreadable(dir, err)
	}
	_, err = io.WriteString(p.stdout, report.Run(past, dir))
	return err
}

// showResult prints what a run came to, as JSON, or each of its steps on a line.
func (p *program) showResult(dir string, f *showFlags) error {
	result, err := runner.ReadResult(dir)
	if err != nil {
		return unreadable(dir, err)
	}
	to := term.JSONOutput(p.stdout, p.env)
	if f.output == outputJSON {
		return result.WriteJSON(to, nil)
	}
	for _, step := range result.Steps {
		if err := report.Encoder(to, "").Encode(step); err != nil {
			return err
		}
	}
	return nil
}

// showUnit prints the report of a unit.
func (p *program) showUnit(dir string, u unit.Unit, f *showFlags) error {
	if f.output == outputJSONL {
		return p.showElements(dir, u)
	}
	past, err := view.ReadUnit(dir, u)
	switch {
	case errors.Is(err, view.ErrNoUnit):
		return noUnit(u)
	case err != nil:
		return unreadable(dir, err)
	case f.output == outputJSON:
		return report.Encoder(term.JSONOutput(p.stdout, p.env), "").Encode(past)
	}
	text, err := report.Unit(past, dir, f.whole)
	if err != nil {
		return unreadable(dir, err)
	}
	_, err = io.WriteString(p.stdout, text)
	return err
}

func noUnit(u unit.Unit) error {
	return steps.Invalid("flow show lists the steps of a run", "the run has no unit %s", u)
}

// showElements prints a line for each element of a foreach, or one for any other step.
func (p *program) showElements(dir string, u unit.Unit) error {
	result, err := runner.ReadResult(dir)
	if err != nil {
		return unreadable(dir, err)
	}
	step, err := result.Find(u)
	if err != nil {
		return unreadable(dir, err)
	}
	if step == nil {
		return noUnit(u)
	}
	return report.Elements(term.JSONOutput(p.stdout, p.env), step)
}

// findRun returns the folder of the run that the arguments name.
func findRun(args []string) (string, error) {
	name := ""
	if len(args) > 0 {
		name = args[0]
	}
	dir, err := journal.Find(host.RunsFolder, name)
	switch {
	case err == nil:
		return dir, nil
	case !errors.Is(err, journal.ErrNoRun):
		return "", steps.Invalid("", "%s: %v", host.RunsFolder, paths.Cause(err))
	case name == "" || name == journal.Last:
		return "", steps.Invalid("name the folder of a run, or run a workflow", "there is no run under %s", host.RunsFolder)
	}
	return "", steps.Invalid("flow runs lists those under "+host.RunsFolder+"; or name a run's folder", "there is no run %q", name)
}
