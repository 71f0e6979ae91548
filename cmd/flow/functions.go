package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/a-seed-11b9befa/flow/workflows"
)

func (p *program) functionsCommand() *cobra.Command {
	output := choice{value: outputText, allowed: []string{outputText, outputJSON}}
	c := &cobra.Command{
		Use:   "functions",
		Short: "List the functions of expressions, each with an example",
		Args:  arguments(0, 0),
		RunE: func(*cobra.Command, []string) error {
			if output.value == outputJSON {
				return p.printJSON(workflows.Functions())
			}
			for _, f := range workflows.Functions() {
				if _, err := fmt.Fprintf(p.stdout, "%-14s %s = %s\n", f.Name, f.Example, f.Gives); err != nil {
					return err
				}
			}
			return nil
		},
	}
	c.Flags().Var(&output, "output", "how they are printed")
	completeFlags(c, map[string]completer{})
	return c
}
