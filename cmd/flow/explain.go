package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/a-seed-11b9befa/flow/internal/report"
	"github.com/a-seed-11b9befa/flow/internal/toolname"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools/permission"
)

// explainFlags are the flags of flow explain.
type explainFlags struct {
	step, workspace string
	exitCode        bool
}

func (p *program) explainCommand() *cobra.Command {
	var f explainFlags
	c := &cobra.Command{
		Use:   "explain FILE --step ID TOOL [ARG]",
		Short: "Say whether a step's model may make a call, and by which rule",
		Long: `Say whether a step's model may make a call, and by which rule. Nothing is called.

ARG is a path, a command or an address, or the whole of the arguments as a JSON
object. A step in a group or in a used workflow is named by its path:
--step group/inner. The exit code is 0 whatever the decision is; with --exit-code
it is 6 unless the call is allowed.`,
		Example: `  flow explain docs-gen.yaml --step pages write docs/index.md
  flow explain review.yaml --step fix bash 'git push --force'`,
		RunE: func(_ *cobra.Command, args []string) error {
			if f.step == "" {
				return steps.Invalid("which step's model makes the call?", "--step is missing")
			}
			argument := ""
			switch {
			case len(args) == 3:
				argument = args[2]
			case toolname.MainArgument(args[1]) != "":
				return steps.Invalid("usage: flow explain FILE --step ID TOOL ARG", "explain: ARG is missing: the %s of the call", toolname.MainArgument(args[1]))
			}
			return p.explain(args[0], f, args[1], argument)
		},
	}
	c.Flags().StringVar(&f.step, "step", "", "the `id` of the step, or its path")
	c.Flags().StringVar(&f.workspace, "workspace", "", "the `folder` that the workflow works in (default: as the workflow says)")
	p.addOutput(c.Flags(), "how the decision is printed")
	c.Flags().BoolVar(&f.exitCode, "exit-code", false, "end with 6 unless the call is allowed")
	return c
}

// explain judges one call, and prints the decision.
func (p *program) explain(file string, f explainFlags, tool, argument string) error {
	from, err := p.finder().Named(context.Background(), file)
	if err != nil {
		return err
	}
	w, err := p.load(context.Background(), from.File, host.LoadOptions{NoScripts: true})
	if err != nil {
		return err
	}
	question := host.Question{Step: f.step, Tool: tool, Argument: argument, Workspace: f.workspace}
	judged, err := w.Judge(question)
	if err != nil {
		return err
	}
	e := report.Explained(question, judged)
	if err := p.tell(e, e.Text); err != nil || !f.exitCode || judged.Verdict == permission.Allow {
		return err
	}
	return exitError(exitDenied)
}
