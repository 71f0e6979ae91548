package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

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
		Args: arguments(0, 1),
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
	lock, err := recipe.ReadLock(recipe.LockOf(file))
	if err != nil {
		return err
	}
	if _, err := os.Stat(recipe.LockOf(file)); err != nil {
		return usage("flow lock writes one", "there is no %s", recipe.LockOf(file))
	}
	cache, err := recipe.CacheOf(file)
	if err != nil {
		return err
	}
	finder := recipe.Finder{Offline: p.offline}
	for _, locked := range lock.Recipes {
		ref, ok, err := recipe.Parse(locked.Reference)
		if err != nil || !ok {
			return fmt.Errorf("%s: %q is no reference", recipe.LockOf(file), locked.Reference)
		}
		dir, tree, err := finder.Open(ctx, cache, ref, locked)
		if err == nil && vendor {
			dir, err = cache.PutVendor(tree)
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(p.stdout, "%s: %s\n", term.Visible(locked.Reference), dir)
	}
	return nil
}
