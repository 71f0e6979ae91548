package host

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools"
)

// A missingTool takes the place of a tool whose server did not start, and tells the model so.
type missingTool struct {
	name string
	why  error
}

// missingTools returns those for the tools of a server that a step spells out. Which tools a
// pattern would have matched is not known.
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

// Effects returns none.
func (missingTool) Effects(json.RawMessage) tools.Effects { return tools.Effects{} }

// Run returns why the tool is missing.
func (t missingTool) Run(context.Context, json.RawMessage, *tools.Output) (tools.Result, error) {
	return tools.Result{Failed: true, Note: t.why.Error()}, nil
}
