package main

import (
	"github.com/spf13/cobra"

	"github.com/a-seed-11b9befa/flow/internal/flags"
	"github.com/a-seed-11b9befa/flow/runner/suite"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

func (p *program) schemaCommand() *cobra.Command {
	kinds := []string{"workflow", "test"}
	return &cobra.Command{
		Use:       "schema [workflow|test]",
		Short:     "Print the JSON Schema of workflow files, or of test files, for editors",
		ValidArgs: kinds,
		RunE: func(_ *cobra.Command, args []string) error {
			schema := workflows.Schema
			if len(args) > 0 {
				if err := flags.Among(kinds, args[0]); err != nil {
					return steps.Invalid("", "schema %q: %v", args[0], err)
				}
				if args[0] == "test" {
					schema = suite.Schema
				}
			}
			_, err := p.Stdout.Write(schema())
			return err
		},
	}
}
