package runner

import (
	"context"

	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// command runs the step's script.
func (t *site) command(ctx context.Context) steps.Result {
	output, err := t.output()
	if err != nil {
		return failed(err)
	}
	command, err := t.script(t.step.Command.Script, t.names(ctx, nil))
	if err != nil {
		return unprepared(ctx, mistake("run", err))
	}
	command.Output, command.Limits = output, limitsOf(t.step.Command.Limits)
	return command.Run(ctx)
}

// script is a script of the workflow, with the values of its expressions.
func (t *site) script(script *workflows.Script, names workflows.Env) (*steps.Command, error) {
	rendered, err := script.Render(names)
	if err != nil {
		return nil, err
	}
	command := &steps.Command{
		Source: rendered.Source, Dir: t.in.workspace, Env: t.run.Environment(t.in.Env),
		Spill: t.run.folder.spill, Mask: t.run.Mask,
	}
	for _, v := range rendered.Values {
		command.Values = append(command.Values, steps.Variable(v))
	}
	return command, nil
}
