package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/a-seed-11b9befa/flow/internal/flags"
	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/internal/plan"
	"github.com/a-seed-11b9befa/flow/internal/report"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner/host"
)

func (p *program) planCommand() *cobra.Command {
	f := &runFlags{}
	f.Host.PlanOnly = true
	c := &cobra.Command{
		Use:   "plan FILE",
		Short: "Show what a run would do, may do and can cost",
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
	p.addOutput(set, "output format", formatMermaid, formatSVG)
	p.addOffline(set)
	return c
}

// plan prints the plan of a run or, if it is resumed, what would run again. No model is asked.
func (p *program) plan(ctx context.Context, o host.Options) error {
	o.Warn = p.warn
	h, err := host.Open(ctx, o)
	if err != nil {
		return err
	}
	p.render(h.Warnings())
	show := p.showPlan
	if o.Resume != nil {
		show = p.showPreview
	}
	return errors.Join(show(ctx, h), h.Close())
}

func (p *program) showPlan(_ context.Context, h *host.Host) error {
	made, err := plan.Of(h, host.RunsFolder)
	if err != nil {
		return err
	}
	switch p.format {
	case formatMermaid:
		return p.Text(made.Mermaid())
	case formatSVG:
		return p.Text(string(made.SVG()))
	}
	return p.tell(made, func() string { return term.VisibleLines(p.Mask.String(report.Plan(made))) })
}

func (p *program) showPreview(ctx context.Context, h *host.Host) error {
	preview, err := h.Preview(ctx)
	if err != nil {
		return err
	}
	run := report.RunName(paths.FromHere(h.Dir()))
	return p.tell(preview, func() string { return term.VisibleLines(p.Mask.String(report.Preview(preview, run))) })
}
