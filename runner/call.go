package runner

import (
	"context"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/steps"
)

// call runs the step's tool call.
func (t *site) call(ctx context.Context) steps.Result {
	spec, names := t.step.Call, t.names(ctx, nil)
	arguments, err := evalAll(spec.With, names)
	if err != nil {
		return unprepared(ctx, err)
	}
	output, err := t.output()
	if err != nil {
		return failed(err)
	}
	set, err := t.tools(ctx)
	if err != nil {
		return unprepared(ctx, err)
	}
	data, err := jsonline.Encode(arguments)
	if err != nil {
		return failed(mistake("with", err))
	}
	call := &steps.ToolCall{
		Tools: set, Tool: spec.Tool, Arguments: data, Output: output,
		Hooks: steps.Hooks{Observe: func(e steps.Event) { t.tell(Event{}, e) }},
	}
	return call.Run(ctx)
}
