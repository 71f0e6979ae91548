package main

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/a-seed-11b9befa/flow/internal/flags"
	"github.com/a-seed-11b9befa/flow/internal/report"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

func (p *program) toolsCommand() *cobra.Command {
	var inputs flags.Inputs
	c := &cobra.Command{
		Use:   "tools [FILE]",
		Short: "List the built-in tools, or those that each step is offered",
		RunE: func(_ *cobra.Command, files []string) error {
			if len(files) == 0 {
				return p.listTools(report.BuiltIn(host.BuiltInTools()))
			}
			return underSignals(func(ctx context.Context) error { return p.offeredTools(ctx, files[0], inputs) })
		},
	}
	p.addOutput(c.Flags(), "output format")
	inputs.Register(c.Flags())
	return c
}

// offeredTools prints the tools that each step of a workflow offers.
func (p *program) offeredTools(ctx context.Context, file string, given flags.Inputs) error {
	w, err := p.load(ctx, file, host.LoadOptions{NoScripts: true})
	if err != nil {
		return err
	}
	if w.Fetched() && slices.ContainsFunc(w.Used(), func(w *workflows.Workflow) bool { return len(w.MCP) > 0 }) {
		return steps.Invalid("use the recipe from a workflow of your own that grants it the servers", "%s belongs to a recipe that is not granted its MCP servers", file)
	}
	inputs, err := given.Known(w.Workflow, p.stdin)
	if err != nil {
		return err
	}
	offers, err := w.Offers(ctx, inputs, p.warn)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return err
	}
	return p.listTools(report.ToolList{Version: 1, File: file, Steps: offers})
}

func (p *program) listTools(list report.ToolList) error {
	return p.tell(list, list.Text)
}
