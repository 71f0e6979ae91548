package main

import (
	"github.com/spf13/cobra"

	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/workflows"
)

func (p *program) validateCommand() *cobra.Command {
	output := choice{value: "text", allowed: []string{"text", "json"}}
	model := ""
	c := &cobra.Command{
		Use:   "validate FILE…",
		Short: "Report every mistake of workflow files",
		Long: `Report every mistake of workflow files, and of the files that they use. Nothing runs.

Mistakes go to standard error, or to standard output as JSON. The exit code is
2, or 3 where only the set-up is wrong: an unknown model, a missing script.
Keys and what else the environment holds are not looked at. A workflow may name
no model, and take that of its caller; --model says which to check it with.`,
		Args: arguments(1, -1),
		RunE: func(_ *cobra.Command, files []string) error { return p.validate(files, model, output.value) },
	}
	c.Flags().Var(&output, "output", "how mistakes are printed")
	c.Flags().Func("model", "the model of every step, as `provider/model`", takeModel(&model))
	c.Flags().BoolVar(&p.noColor, "no-color", false, "print without colours")
	c.ValidArgsFunction = func(c *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		return workflowFiles(c, nil, begun)
	}
	completeFlags(c, map[string]completer{"model": modelWords})
	return c
}

// validate reports the mistakes of all files together.
func (p *program) validate(files []string, model, output string) error {
	var all workflows.Diagnostics
	for _, file := range files {
		w, found := host.Load(file, host.LoadOptions{Environment: p.environment()})
		if w != nil {
			found = append(found, w.Check(model)...)
		}
		all = append(all, found.Sorted()...)
	}
	if output == "json" {
		if err := p.printDiagnostics(all); err != nil {
			return err
		}
	} else {
		p.render(all)
	}
	if code := codeOfDiagnostics(all); code != exitSuccess {
		return exitError(code)
	}
	return nil
}

func (p *program) schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of workflow files, for editors",
		Args:  arguments(0, 0),
		RunE: func(*cobra.Command, []string) error {
			_, err := p.stdout.Write(workflows.Schema())
			return err
		},
	}
}
