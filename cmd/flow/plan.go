package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/a-seed-11b9befa/flow/internal/flags"
	"github.com/a-seed-11b9befa/flow/internal/session"
)

func (p *program) planCommand() *cobra.Command {
	f := &runFlags{}
	f.Host.PlanOnly = true
	c := &cobra.Command{
		Use:   "plan FILE",
		Short: "Show what a run would do, may do and can cost",
		Long: `Show what a run would do: its steps with models, tools and rules, what it may do, the most
that it can cost, and what earlier runs in .flow/runs have cost. Nothing runs, and no key
is needed. mermaid is a graph for Markdown, svg a picture of it.`,
		RunE: signalled(func(ctx context.Context, args []string) error {
			if err := f.check(p); err != nil {
				return err
			}
			return p.runFile(ctx, args[0], f)
		}),
	}
	set := c.Flags()
	f.inputs.Register(set)
	set.Var(flags.Text(&f.Host.Workspace), "workspace", "the workspace `folder` (default: as in the workflow, else the current folder)")
	addModel(set, &f.Host.Model)
	f.addSpending(set)
	p.addOutput(set, "output format", session.FormatMermaid, session.FormatSVG)
	p.addOffline(set)
	return c
}
