package host

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools"
)

// A missingTool stands for a tool of a server that did not start, so that the
// model is told.
type missingTool struct {
	name string
	why  error
}

// missingTools stand for the tools of a server that a step spells. What a
// pattern would have named nobody knows.
func missingTools(server string, listed []string, why error) []serverTool {
	var all []serverTool
	for _, name := range listed {
		if strings.HasPrefix(name, server+"_") && !strings.Contains(name, "*") {
			all = append(all, serverTool{server, missingTool{name, why}})
		}
	}
	return all
}

// Spec says that the tool can't be used.
func (t missingTool) Spec() tools.Spec {
	return tools.Spec{
		Name: t.name, Description: "Not available: its server did not start.",
		Parameters: json.RawMessage(`{"type":"object","additionalProperties":true}`),
	}
}

// Effects are none.
func (missingTool) Effects(json.RawMessage) tools.Effects { return tools.Effects{} }

// Run says why there is no such tool.
func (t missingTool) Run(context.Context, json.RawMessage, *tools.Output) (tools.Result, error) {
	return tools.Result{Failed: true, Note: t.why.Error()}, nil
}
