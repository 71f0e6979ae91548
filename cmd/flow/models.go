package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/a-seed-11b9befa/flow/internal/report"
	"github.com/a-seed-11b9befa/flow/runner/host"
)

func (p *program) modelsCommand() *cobra.Command {
	check := false
	c := &cobra.Command{
		Use:   "models [PROVIDER[/MODEL]…]",
		Short: "List providers and models, and whether the keys are set",
		RunE: func(_ *cobra.Command, args []string) error {
			if !check { // nothing is waited for: it ends as other programs do where nobody reads on
				return p.models(context.Background(), args, false)
			}
			return underSignals(func(ctx context.Context) error { return p.models(ctx, args, true) })
		},
	}
	c.Flags().BoolVar(&check, "check", false, "send one tiny request to each provider")
	p.addOutput(c.Flags(), "output format")
	return c
}

// models lists the known models, or asks all providers. The first that fails decides the exit code.
func (p *program) models(ctx context.Context, named []string, check bool) error {
	list, err := p.environment(ctx).List(named...)
	if err != nil {
		return err
	}
	if !check {
		return p.tell(list, func() string { return report.Models(list, len(named) == 0) })
	}
	p.environment(ctx).CheckUp(ctx, list)
	list.Models = []host.KnownModel{}
	if err := p.tell(list, func() string { return report.Checkups(list.Providers) }); err != nil {
		return err
	}
	for _, l := range list.Providers {
		if l.Check.Status == host.Failed {
			return exitError(codeOf(l.Check.Kind))
		}
	}
	return nil
}
