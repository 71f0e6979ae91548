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
