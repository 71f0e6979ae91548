package runner

import (
	"context"

	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

// call runs the step's tool call.
func (t *site) call(ctx context.Context) steps.Result {
	spec, names := t.step.Call, t.names(nil)
	arguments, err := evalAll(spec.With, names)
	if err != nil {
		return failed(err)
	}
	output, err := outputOf(t.step.Output)
	if err != nil {
		return failed(err)
	}
	box, err := t.toolbox([]string{spec.Tool}, spec.Permissions, names)
	if err != nil {
		return failed(err)
	}
	var entries []tools.Entry
	for _, tool := range box.Find(spec.Tool) {
		entries = append(entries, tools.Entry{Tool: tool})
	}
	set, err := tools.NewSet(entries, t.setOptions(box, spec.Limits))
	if err != nil {
		return failed(err)
	}
	data, err := encode(arguments, "")
	if err != nil {
		return failed(mistake("with", err))
	}
	call := &steps.ToolCall{
		Tools: set, Tool: spec.Tool, Arguments: data, Output: output,
		Hooks: steps.Hooks{Observe: func(e steps.Event) { t.tell(Event{}, e) }},
	}
	return call.Run(ctx)
}
