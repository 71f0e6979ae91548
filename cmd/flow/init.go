package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a-seed-11b9befa/flow/internal/authority"
	"github.com/a-seed-11b9befa/flow/internal/recipe"
	"github.com/a-seed-11b9befa/flow/internal/report"
	"github.com/a-seed-11b9befa/flow/internal/scaffold"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

func (p *program) initCommand() *cobra.Command {
	github := false
	c := &cobra.Command{
		Use:   "init [KIND|REF] [FOLDER]",
		Short: "Create a workflow",
		Long:  "Create a workflow in a folder (default: the current one) that runs at once: with a script\nthat plays its model, a test, and sample data (none in a folder that has a module of its\nown). The kinds:\n\n" + report.Kinds() + "\nWith a reference to a recipe, flow copies the recipe and prints what it may do. The copy is\nyours and needs no grant. No file is overwritten.",
		RunE: func(_ *cobra.Command, args []string) error {
			kind, dir := "empty", "."
			if len(args) > 0 {
				kind = args[0]
			}
			if len(args) > 1 {
				dir = args[1]
			}
			if _, isRef, _ := recipe.Parse(kind); !isRef {
				return p.begin(kind, dir, github)
			}
			if github {
				return steps.Invalid("", "--github can't be used with a recipe, which has its own jobs")
			}
			return underSignals(func(ctx context.Context) error { return p.beginFrom(ctx, kind, dir) })
		},
	}
	c.Flags().BoolVar(&github, "github", false, "also write a job for GitHub Actions")
	return c
}

// begin writes the files of a kind, and lists them.
func (p *program) begin(kind, dir string, github bool) error {
	made, err := scaffold.Write(dir, scaffold.Options{Kind: kind, Schema: workflows.Schema(), GitHub: github})
	if err != nil {
		return err
	}
	run := strings.Join(append([]string{made.Kind.Workflow()}, made.Kind.Args...), " ")
	return p.Text(report.Made(made, dir) + "next: flow run " + run + "\n")
}

// beginFrom copies a recipe, and prints what it may do.
func (p *program) beginFrom(ctx context.Context, reference, dir string) error {
	from, err := p.finder().Named(ctx, reference)
	if err != nil {
		return err
	}
	w, err := p.load(ctx, from.File, host.LoadOptions{Recipe: from.Reference()})
	if err != nil {
		return err
	}
	made, err := scaffold.Copy(dir, reference, from.Recipe.Tree)
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%sThis is a copy of %s at %s. Read all of it before you run it. What %s may do, and use:\n", report.Made(made, dir), reference, from.Recipe.Locked.At(), from.Recipe.Reference.File)
	for _, line := range authority.Of(w.Workflow).Lines {
		fmt.Fprintf(&b, "  %s\n", line)
	}
	fmt.Fprintf(&b, "next: flow run %s\n", from.Recipe.Reference.File)
	return p.Text(term.VisibleLines(b.String()))
}
