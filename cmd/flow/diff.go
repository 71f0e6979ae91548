package main

import (
	"github.com/spf13/cobra"

	"github.com/a-seed-11b9befa/flow/internal/complete"
	"github.com/a-seed-11b9befa/flow/internal/flags"
	"github.com/a-seed-11b9befa/flow/internal/report"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner/view"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

func (p *program) diffCommand() *cobra.Command {
	var check, output string
	c := &cobra.Command{
		Use:   "diff RUN RUN",
		Short: "Compare two runs, and judge the difference",
		Long: `Compare two runs: by step their status, turns, calls, tokens, cost, time, outputs,
what models were asked, and what is in only one of them. RUN is as for flow show.

With --check the exit code is 1 where the expression does not hold, and 2 where it
is no condition, or compares something that is null. It sees before and after, each
as run.json has it, with turns, cached_turns, tool_calls, denied_calls and tokens of
the whole run:

  flow diff RUN RUN --check 'after.cost_usd <= 1.2 * before.cost_usd'`,
		Args:              flags.Arguments(2, 2),
		ValidArgsFunction: complete.Runs(2),
		RunE:              func(_ *cobra.Command, args []string) error { return p.diff(args, check, output) },
	}
	c.Flags().StringVar(&check, "check", "", "a condition over before and after, such as `EXPR` after.denied_calls == 0")
	addOutput(c.Flags(), &output, "how it is printed", outputMarkdown)
	return c
}

// diff compares two runs, and evaluates --check.
func (p *program) diff(args []string, check, output string) error {
	var dirs [2]string
	for i, arg := range args {
		var err error
		if dirs[i], err = findRun([]string{arg}); err != nil {
			return err
		}
	}
	var gate *workflows.Gate
	if check != "" {
		var found workflows.Diagnostics
		if gate, found = workflows.ParseGate(check, "before", "after"); gate == nil {
			return steps.Invalid(found[0].Hint, "--check %s: %s", check, found[0].Message)
		}
	}
	c, err := view.Compare(dirs[0], dirs[1])
	if err != nil {
		return steps.Invalid("", "%v", err)
	}
	if gate != nil {
		if err := c.Judge(gate, check); err != nil {
			return steps.Invalid("before and after have what run.json has; flow show RUN --output json prints it", "--check %s: %v", check, err)
		}
	}
	err = p.tell(output, c, func() string {
		if output == outputMarkdown {
			return report.Markdown(c)
		}
		return term.VisibleLines(report.Comparison(c))
	})
	if err == nil && c.Check != nil && !c.Check.Holds {
		err = exitError(exitFailure)
	}
	return err
}
