package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/a-seed-11b9befa/flow/internal/flags"
	"github.com/a-seed-11b9befa/flow/internal/recipe"
	"github.com/a-seed-11b9befa/flow/internal/term"
)

func (p *program) fetchCommand() *cobra.Command {
	vendor := false
	c := &cobra.Command{
		Use:   "fetch [FILE]",
		Short: "Fetch the recipes that a workflow's lock names",
		Long: `Fetch the recipes that the lock of a workflow names, for machines without a
network. FILE is flow.yaml unless told. They lie in the user's cache by their hash;
FLOW_RECIPES names the folder. With --vendor they are put into flow_vendor beside
the workflow, too, which goes before the cache.`,
		Args: flags.Arguments(0, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			file := recipe.File
			if len(args) > 0 {
				file = args[0]
			}
			return underSignals(func(ctx context.Context) error { return p.fetch(ctx, file, vendor) })
		},
	}
	c.Flags().BoolVar(&vendor, "vendor", false, "put the recipes into flow_vendor, too")
	p.addNoColor(c.Flags())
	c.ValidArgsFunction = workflowFiles
	return c
}

// fetch gets what the lock of a file names, and says where it is.
func (p *program) fetch(ctx context.Context, file string, vendor bool) error {
	return p.finder().FetchAll(ctx, file, vendor, func(reference, dir string) {
		fmt.Fprintf(p.stdout, "%s: %s\n", term.Visible(reference), dir)
	})
}
