package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/a-seed-11b9befa/flow/internal/report"
)

func (p *program) doctorCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Show what this machine has of what workflows need",
		RunE: signalled(func(ctx context.Context, _ []string) error {
			d := report.Diagnosis{Version: 1, Health: p.environment(ctx).Doctor()}
			return p.tell(d, func() string { return p.colored(report.Health(d.Health)) })
		}),
	}
	p.addOutput(c.Flags(), "output format")
	return c
}
