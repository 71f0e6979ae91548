package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/a-seed-11b9befa/flow/internal/report"
	"github.com/a-seed-11b9befa/flow/runner/host"
)

func (p *program) toolsCommand() *cobra.Command {
	f := toolsFlags{output: choice{value: outputText, allowed: []string{outputText, outputJSON}}}
	c := &cobra.Command{
		Use:   "tools [FILE]",
		Short: "List the built-in tools, or those that each step is offered",
		Long: `List the built-in tools and their parameters. With FILE, list what each step of a
workflow is offered, under its rules: built-in tools, the workflow's own, and those of
its MCP servers, which are started for that and ended. As JSON they come with the
schemas of their parameters.`,
		Example: `  flow tools
  flow tools triage.yaml --output json`,
		Args: arguments(0, 1),
		RunE: func(_ *cobra.Command, files []string) error {
			if len(files) == 0 {
				return p.builtInTools(f.output.value)
			}
			return underSignals(func(ctx context.Context) error { return p.offeredTools(ctx, files[0], f) })
		},
	}
	c.Flags().Var(&f.output, "output", "how they are printed")
	c.Flags().StringArrayVarP(&f.pairs, "input", "i", nil, "an input, `name=value` (repeatable)")
	c.Flags().StringVar(&f.inputs, "inputs", "", "a `file` of inputs, JSON or YAML; - is standard input")
	c.ValidArgsFunction = workflowFiles
	completeFlags(c, map[string]completer{})
	return c
}

// toolsFlags are what flow tools is told on its command line.
type toolsFlags struct {
	output choice
	inputs string
	pairs  []string
}

// A toolList is what flow tools prints as JSON: the built-in tools, or with a file what
// its steps are offered.
type toolList struct {
	Version int                `json:"version"`
	File    string             `json:"file,omitempty"`
	Tools   []host.OfferedTool `json:"tools,omitempty"`
	Steps   []host.Offer       `json:"steps,omitempty"`
}

func (p *program) builtInTools(output string) error {
	specs := host.BuiltInTools()
	if output != outputJSON {
		_, err := io.WriteString(p.stdout, report.Tools(specs))
		return err
	}
	list := toolList{Version: 1}
	for _, spec := range specs {
		list.Tools = append(list.Tools, host.OfferedTool{Name: spec.Name, Description: spec.Description, Parameters: spec.Parameters})
	}
	return p.printJSON(list)
}

// offeredTools prints what each step of a workflow is offered.
func (p *program) offeredTools(ctx context.Context, file string, f toolsFlags) error {
	w, err := p.complainOf(host.Load(file, host.LoadOptions{Environment: p.environment(ctx), NoScripts: true}))
	if err != nil {
		return err
	}
	mask := w.Mask()
	p.stderr.Hide(mask.String)
	inputs, _, err := p.someInputs(w, f.inputs, f.pairs)
	if err != nil {
		return err
	}
	offers, err := w.Offers(ctx, inputs, func(message string) { p.say("warning: "+message, "") })
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return err
	}
	if f.output.value != outputJSON {
		_, err := io.WriteString(p.stdout, mask.String(report.Offers(offers)))
		return err
	}
	return p.printJSON(toolList{Version: 1, File: file, Steps: offers})
}
