package main

import (
	"fmt"

	"github.com/a-seed-11b9befa/flow/workflows"
)

// codeUnbuilt is the code of diagnostics about what the language has, and this
// build of flow has not.
const codeUnbuilt = "unbuilt"

// unbuilt reports what a workflow asks for that this build does not have: MCP
// servers and webfetch. A step that lacks a tool would go on without it, so
// nothing runs.
func unbuilt(w *workflows.Workflow) workflows.Diagnostics {
	var found workflows.Diagnostics
	for _, w := range used(w) {
		for name, server := range w.MCP {
			found = append(found, lacking(server.Pos, fmt.Sprintf("MCP server %q: this build of flow has no MCP client", name),
				"take it out, or make its commands custom_tools"))
		}
		for _, step := range leaves(w.Steps) {
			found = append(found, unbuiltTools(step)...)
		}
	}
	return found
}

// unbuiltTools reports the first tool of a step that the build lacks.
func unbuiltTools(step *workflows.Step) workflows.Diagnostics {
	const hint = "take it out, or make a command of yours a custom tool"
	if step.Call != nil && step.Call.Tool == toolWebfetch {
		return workflows.Diagnostics{lacking(step.Pos, "this build of flow has no webfetch", hint)}
	}
	if step.Agent == nil {
		return nil
	}
	for _, entry := range step.Agent.Tools {
		if entry.Name == toolWebfetch {
			return workflows.Diagnostics{lacking(entry.Pos, "this build of flow has no webfetch", hint)}
		}
	}
	return nil
}

func lacking(at workflows.Position, message, hint string) workflows.Diagnostic {
	return diagnosticAt(at, workflows.SeverityError, codeUnbuilt, message, hint)
}
