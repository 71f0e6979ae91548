package main

import (
	"fmt"

	"github.com/spf13/cobra"

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
	p.addOutput(c.Flags(), "output format")
	return c
}
