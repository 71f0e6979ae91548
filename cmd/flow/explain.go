package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/a-seed-11b9befa/flow/internal/flags"
	"github.com/a-seed-11b9befa/flow/internal/known"
	"github.com/a-seed-11b9befa/flow/internal/report"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools/permission"
)

func (p *program) explainCommand() *cobra.Command {
	var q host.StepCall
	var inputs flags.Inputs
	exitCode := false
	c := &cobra.Command{
		Use:   "explain FILE --step ID TOOL [ARG]",
		Short: "Explain whether a step's model may make a call, and which rule decides",
		RunE: func(_ *cobra.Command, args []string) error {
			q.Tool = args[1]
			switch missing := known.MainArgument(q.Tool); {
			case len(args) == 3:
				q.Argument = args[2]
			case missing != "":
				return steps.Invalid("usage: flow explain FILE --step ID TOOL ARG", "explain: ARG is missing: the %s of the call", missing)
			}
			return p.explain(args[0], q, inputs, exitCode)
		},
	}
	c.Flags().Var(flags.Text(&q.Step), "step", "the `id` of the step, or its path")
	c.MarkFlagRequired("step")
	c.Flags().Var(flags.Text(&q.Workspace), "workspace", "the workspace `folder` (default: as in the workflow)")
	inputs.Register(c.Flags())
	p.addOutput(c.Flags(), "output format")
	c.Flags().BoolVar(&exitCode, "exit-code", false, "exit with 6 unless the call is allowed")
	return c
}

// explain judges one call, and prints the decision.
func (p *program) explain(file string, q host.StepCall, given flags.Inputs, exitCode bool) error {
	from, err := p.finder().Named(context.Background(), file)
	if err != nil {
		return err
	}
	w, err := p.load(context.Background(), from.File, host.LoadOptions{NoScripts: true, Recipe: from.Reference()})
	if err != nil {
		return err
	}
	if q.Inputs, err = given.Known(w.Workflow, p.stdin); err != nil {
		return err
	}
	judged, err := w.Judge(q)
	if err != nil {
		return err
	}
	e := report.Explanation{Version: 1, Step: q.Step, Tool: q.Tool, Judgement: judged}
	if err := p.tell(e, func() string { return p.colored(e.Text()) }); err != nil || !exitCode || judged.Verdict == permission.Allow {
		return err
	}
	return exitError(exitDenied)
}
