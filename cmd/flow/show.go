package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/a-seed-11b9befa/flow/internal/page"
	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/internal/report"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/runner/view"
	"github.com/a-seed-11b9befa/flow/steps"
)

func (p *program) showCommand() *cobra.Command {
	whole := false // all of the conversation
	c := &cobra.Command{
		Use:   "show [RUN] [UNIT]",
		Short: "Show what a run did: steps, calls, denials, tokens, cost",
		RunE: func(_ *cobra.Command, args []string) error {
			dir, err := host.FindRun(append(args, journal.Last)[0])
			if err != nil {
				return err
			}
			if len(args) < 2 {
				return p.show(dir)
			}
			u, err := parseUnit(args[1])
			if err != nil {
				return err
			}
			return p.showUnit(dir, u, whole)
		},
	}
	p.addOutput(c.Flags(), "output format; jsonl has a line for each step or, for a foreach, each element; page is the JSON of the page of a run", formatJSONL, formatPage)
	c.Flags().BoolVar(&whole, "transcript", false, "for a unit: show the full conversation")
	return c
}

func parseUnit(text string) (journal.Address, error) {
	u, err := journal.ParseAddress(text)
	if err != nil {
		err = steps.Invalid("a unit is a step such as lint, pages[3] or loop/fix", "%v", err)
	}
	return u, err
}

// unreadable is the error for the folder of a run that can't be read.
func unreadable(dir string, err error) error {
	var broken *journal.Error
	switch {
	case errors.Is(err, journal.ErrNewer):
		return steps.Invalid("read it with the version of flow that wrote it, or a newer one", "%v", err)
	case errors.As(err, &broken):
		return steps.Invalid("the run folder was not changed", "%v", err)
	}
	return steps.Invalid("", "can't read the run folder %s: %v", dir, paths.Cause(err))
}

// show prints the report of a run, or its result as JSON.
func (p *program) show(dir string) error {
	if p.format == formatPage {
		return p.showPage(dir)
	}
	if p.format != formatJSON && p.format != formatJSONL {
		past, err := view.ReadPast(dir)
		if err != nil {
			return unreadable(dir, err)
		}
		return p.Text(p.colored(report.Run(past, dir)))
	}
	result, err := runner.ReadResult(dir)
	if err != nil {
		return unreadable(dir, err)
	}
	if p.format == formatJSON {
		return p.Result(result, formatJSON)
	}
	for _, step := range result.Steps {
		if err := p.JSON(step, ""); err != nil {
			return err
		}
	}
	return nil
}

// showPage prints what the page of a run shows.
func (p *program) showPage(dir string) error {
	data, units, err := page.Read(dir)
	if err != nil {
		return unreadable(dir, err)
	}
	defer units.Close()
	return p.JSON(data, "")
}

// showUnit prints the report of a unit.
func (p *program) showUnit(dir string, u journal.Address, whole bool) error {
	if p.format == formatJSONL {
		return p.showElements(dir, u)
	}
	past, err := view.ReadUnit(dir, u)
	switch {
	case errors.Is(err, view.ErrNoUnit):
		return noUnit(u)
	case err != nil:
		return unreadable(dir, err)
	case p.format == formatJSON, p.format == formatPage:
		return p.JSON(past, "")
	}
	text, err := report.Unit(past, dir, whole)
	if err != nil {
		return unreadable(dir, err)
	}
	return p.Text(p.colored(text))
}

func noUnit(u journal.Address) error {
	return steps.Invalid("to list the steps of the run: flow show RUN", "the run has no step or element %q", u)
}

// showElements prints a line for each element of a foreach, or one for any other step.
func (p *program) showElements(dir string, u journal.Address) error {
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
	if step.Counts == nil && !step.HasElements() {
		return p.JSON(step, "")
	}
	for element, err := range step.Elements() {
		if err != nil {
			return err
		}
		if err := p.JSON(element, ""); err != nil {
			return err
		}
	}
	return nil
}
