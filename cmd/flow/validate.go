package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/a-seed-11b9befa/flow/internal/flags"
	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/internal/report"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/runner/suite"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

func (p *program) validateCommand() *cobra.Command {
	var model, workspace string
	var inputs flags.Inputs
	c := &cobra.Command{
		Use:   "validate FILE…",
		Short: "Report every mistake in workflow files",
		RunE: signalled(func(ctx context.Context, files []string) error {
			return p.validate(ctx, files, host.CheckOptions{Model: model, Workspace: workspace}, inputs)
		}),
	}
	p.addOutput(c.Flags(), "output format")
	addModel(c.Flags(), &model)
	c.Flags().Var(flags.Text(&workspace), "workspace", "the workspace `folder` (default: as in each workflow, else the current folder)")
	inputs.Register(c.Flags())
	p.addOffline(c.Flags())
	return c
}

// validate reports the mistakes of all files together.
func (p *program) validate(ctx context.Context, files []string, o host.CheckOptions, given flags.Inputs) error {
	if len(files) > 1 && !given.None() {
		return steps.Invalid("", "-i and --inputs need exactly one file, not %d", len(files))
	}
	all := workflows.Diagnostics{}
	for _, file := range files {
		from, err := p.finder().Named(ctx, file)
		if err != nil {
			return err
		}
		if found, isOther := p.validateOther(ctx, from.File); isOther {
			all = append(all, found.Sorted()...)
			continue
		}
		w, found := host.Load(from.File, host.LoadOptions{Environment: p.environment(ctx), Recipe: from.Reference()})
		if w != nil {
			if o.Inputs, err = given.Known(w.Workflow, p.stdin); err != nil {
				return err
			}
			found = append(found, w.Check(o)...)
		}
		all = append(all, found.Sorted()...)
	}
	if p.format != formatJSON {
		p.render(all)
		if len(all) == 0 {
			p.say(validLine(files), "")
		}
		return exitWith(codeOfDiagnostics(all))
	}
	p.annotate(all)
	if err := p.JSON(report.HintedAll(all), "  "); err != nil {
		return err
	}
	return exitWith(codeOfDiagnostics(all))
}

// validateOther reports the mistakes of a file that is no workflow: of tests, with their workflow, or of
// what a scripted model says. It is false for all others.
func (p *program) validateOther(ctx context.Context, file string) (found workflows.Diagnostics, isOther bool) {
	data, err := host.ReadSource(file)
	if err != nil {
		return nil, false
	}
	switch workflows.FileKindOf(file, data) {
	case workflows.FileOfTests:
		_, found = suite.Load([]string{file}, suite.Options{Environment: p.environment(ctx)})
	case workflows.FileOfScript:
		_, found = workflows.ParseScript(file, data)
	default:
		return nil, false
	}
	return found, true
}

// validLine says that nothing is wrong with files.
func validLine(files []string) string {
	if len(files) == 1 {
		return files[0] + " is valid"
	}
	return quantity.Count(len(files), "file") + " are valid"
}
