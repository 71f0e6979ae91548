package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a-seed-11b9befa/flow/internal/recipe"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools/permission"
)

func (p *program) pushCommand() *cobra.Command {
	dirty := false
	c := &cobra.Command{
		Use:   "push REF",
		Short: "Push the current folder to a registry, as a recipe",
		RunE:  signalled(func(ctx context.Context, args []string) error { return p.push(ctx, args[0], dirty) }),
	}
	c.Flags().BoolVar(&dirty, "dirty", false, "also push uncommitted changes")
	return c
}

func (p *program) push(ctx context.Context, text string, dirty bool) error {
	ref, ok, err := recipe.Parse(text)
	if err != nil || !ok {
		return steps.Invalid("such as oci://registry.example.com/recipes/review:v1", "%q is not a reference", text)
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	tree, err := recipe.Pack(ctx, dir, dirty, permission.IsSecret)
	if err != nil {
		return err
	}
	if _, err := p.load(ctx, recipe.File, host.LoadOptions{}); err != nil {
		return err
	}
	if slices.ContainsFunc(tree.Names(), func(name string) bool { return strings.HasSuffix(name, ".test.yaml") }) {
		shown := p.Stdout
		p.Stdout = p.Screen // the digest is all that is printed
		err := p.test(ctx, []string{"."}, testFlags{})
		p.Stdout = shown
		if err != nil {
			return err
		}
	}
	digest, err := recipe.Push(ctx, ref, tree)
	if err != nil {
		return err
	}
	return p.Text(fmt.Sprintf("%s@%s\n", ref.Base(), digest))
}
