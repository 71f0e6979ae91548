package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/a-seed-11b9befa/flow/internal/flags"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

func (p *program) functionsCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "functions",
		Short: "List the functions of expressions, each with an example",
		RunE: func(*cobra.Command, []string) error {
			return p.tell(workflows.Functions(), func() (text string) {
				for _, f := range workflows.Functions() {
					text += fmt.Sprintf("%-14s %s = %s\n", f.Name, f.Example, f.Gives)
				}
				return text
			})
		},
	}
	p.addOutput(c.Flags(), "how they are printed")
	return c
}

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
					schema = workflows.TestSchema
				}
			}
			_, err := p.stdout.Write(schema())
			return err
		},
	}
}
