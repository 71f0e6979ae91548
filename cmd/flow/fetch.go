package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a-seed-11b9befa/flow/internal/recipe"
	"github.com/a-seed-11b9befa/flow/internal/term"
)

func (p *program) fetchCommand() *cobra.Command {
	vendor := false
	c := &cobra.Command{
		Use:   "fetch [FILE]",
		Short: "Fetch the recipes that a workflow's lock names",
		RunE: signalled(func(ctx context.Context, args []string) error {
			return p.finder().FetchAll(ctx, cmp.Or(strings.Join(args, ""), recipe.File), vendor, func(reference, dir string) {
				fmt.Fprintf(p.Stdout, "%s: %s\n", term.Visible(reference), dir)
			})
		}),
	}
	c.Flags().BoolVar(&vendor, "vendor", false, "also copy the recipes into flow_vendor")
	return c
}
