package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/tools"
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

func (p *program) builtInTools(output string) error {
	if output == outputJSON {
		list := toolList{Version: 1, Tools: []listedTool{}}
		for _, spec := range host.BuiltInTools() {
			list.Tools = append(list.Tools, listedTool{Name: spec.Name, Description: spec.Description, Parameters: spec.Parameters})
		}
		return p.printJSON(list)
	}
	for _, spec := range host.BuiltInTools() {
		if _, err := fmt.Fprintf(p.stdout, "%s\n", describeTool(spec)); err != nil {
			return err
		}
	}
	return nil
}

// describeTool gives a tool's name and parameters, and under them what it does.
func describeTool(spec tools.Spec) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s {%s}\n", spec.Name, strings.Join(parameters(spec.Parameters), ", "))
	for line := range strings.Lines(strings.TrimSpace(spec.Description)) {
		fmt.Fprintf(&b, "    %s\n", strings.TrimRight(line, "\n"))
	}
	return b.String()
}

// parameters lists the properties of an object's schema in its own order; those
// that may be left out have a question mark.
func parameters(schema json.RawMessage) []string {
	var object struct {
		Properties json.RawMessage
		Required   []string
	}
	if json.Unmarshal(schema, &object) != nil {
		return nil
	}
	required := map[string]bool{}
	for _, name := range object.Required {
		required[name] = true
	}
	var names []string
	for _, name := range keysOf(object.Properties) {
		if !required[name] {
			name += "?"
		}
		names = append(names, name)
	}
	return names
}

// keysOf lists the keys of a JSON object in the order in which they stand.
func keysOf(object json.RawMessage) []string {
	d := json.NewDecoder(bytes.NewReader(object))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	var keys []string
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return keys
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return keys
		}
		keys = append(keys, fmt.Sprint(key))
	}
	return keys
}
