package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/tools"
)

func (p *program) toolsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "tools",
		Short: "List the built-in tools and their parameters",
		Args:  arguments(0, 0),
		RunE: func(*cobra.Command, []string) error {
			for _, spec := range host.BuiltInTools() {
				if _, err := fmt.Fprintf(p.stdout, "%s\n", describeTool(spec)); err != nil {
					return err
				}
			}
			return nil
		},
	}
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
