package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/a-seed-11b9befa/flow/workflows"
)

func (p *program) functionsCommand() *cobra.Command {
	output := oneOf(outputText, outputJSON)
	c := &cobra.Command{
		Use:   "functions",
		Short: "List the functions of expressions, each with an example",
		Args:  arguments(0, 0),
		RunE: func(*cobra.Command, []string) error {
			return p.tell(output.value, workflows.Functions(), func() (text string) {
				for _, f := range workflows.Functions() {
					text += fmt.Sprintf("%-14s %s = %s\n", f.Name, f.Example, f.Gives)
				}
				return text
			})
		},
	}
	c.Flags().Var(&output, "output", "how they are printed")
	return c
}

func (p *program) schemaCommand() *cobra.Command {
	kinds := []string{"workflow", "test"}
	return &cobra.Command{
		Use:       "schema [workflow|test]",
		Short:     "Print the JSON Schema of workflow files, or of test files, for editors",
		Args:      arguments(0, 1),
		ValidArgs: kinds,
		RunE: func(_ *cobra.Command, args []string) error {
			kind := oneOf(kinds...)
			if len(args) > 0 {
				if err := kind.Set(args[0]); err != nil {
					return usage("", "schema %q: %v", args[0], err)
				}
			}
			schema := workflows.Schema
			if kind.value == "test" {
				schema = workflows.TestSchema
			}
			_, err := p.stdout.Write(schema())
			return err
		},
	}
}
