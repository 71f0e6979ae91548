package main

import (
	"github.com/spf13/cobra"

	"github.com/a-seed-11b9befa/flow/internal/flags"
	"github.com/a-seed-11b9befa/flow/internal/report"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/runner/view"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

func (p *program) diffCommand() *cobra.Command {
	var check *workflows.Gate
	c := &cobra.Command{
		Use:   "diff RUN RUN",
		Short: "Compare two runs, and check a condition over both",
		RunE:  func(_ *cobra.Command, runs []string) error { return p.diff(runs, check) },
	}
	c.Flags().Var(flags.Of(&check, "EXPR", "", parseCheck), "check", "a condition over before and after, such as after.denied_calls == 0")
	p.addOutput(c.Flags(), "output format", formatMarkdown)
	return c
}

func parseCheck(text string) (*workflows.Gate, error) {
	check, found := workflows.ParseGate(text, "before", "after")
	if check == nil {
		return nil, steps.Invalid(found[0].Hint, "%s: %s", text, found[0].Message)
	}
	return check, nil
}

// diff compares two runs, and evaluates --check.
func (p *program) diff(runs []string, check *workflows.Gate) error {
	before, err := host.FindRun(runs[0])
	if err != nil {
		return err
	}
	after, err := host.FindRun(runs[1])
	if err != nil {
		return err
	}
	c, err := view.Compare(before, after)
	if err != nil {
		return steps.Invalid("", "%v", err)
	}
	if check != nil {
		if err := c.Judge(check); err != nil {
			return steps.Invalid("before and after have the fields of run.json; to print them: flow show RUN --output json", "--check %s: %v", check, err)
		}
	}
	err = p.tell(c, func() string {
		if p.format == formatMarkdown {
			return report.Markdown(c)
		}
		return p.colored(term.VisibleLines(report.Comparison(c)))
	})
	if err == nil && c.Check != nil && !c.Check.Holds {
		err = exitError(exitFailure)
	}
	return err
}
