package runner

import (
	"context"
	"fmt"
	"strings"

	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// checks are what is judged when the model says that it is done.
func (t *site) checks() []steps.Check {
	var checks []steps.Check
	for _, c := range t.step.Agent.Checks {
		run := t.checkExpression(c)
		if c.Script != nil {
			run = t.checkCommand(c)
		}
		checks = append(checks, steps.Check{Name: c.Source, Run: run})
	}
	return checks
}

func (t *site) checkExpression(c workflows.Check) func(context.Context, any, string) (bool, string, error) {
	return func(ctx context.Context, output any, text string) (bool, string, error) {
		good, err := c.Expr.Holds(t.names(ctx, workflows.Env{"output": output, "text": text}))
		if ctx.Err() != nil {
			return false, "", context.Cause(ctx)
		}
		if err != nil {
			return false, fmt.Sprintf("it could not be evaluated: %v", err), nil
		}
		return good, "it does not hold", nil
	}
}

func (t *site) checkCommand(c workflows.Check) func(context.Context, any, string) (bool, string, error) {
	return func(ctx context.Context, output any, text string) (bool, string, error) {
		command, err := t.script(c.Script, t.names(ctx, workflows.Env{"output": output, "text": text}))
		if ctx.Err() != nil {
			return false, "", context.Cause(ctx)
		}
		if err != nil {
			return false, fmt.Sprintf("its command can't be made: %v", err), nil
		}
		r := command.Run(ctx)
		switch {
		case r.Status == steps.Succeeded:
			return true, "", nil
		case r.ExitCode != nil && r.Status == steps.Failed:
			said := strings.TrimSpace(r.Stdout + "\n" + r.Stderr)
			return false, strings.TrimSpace(fmt.Sprintf("exit status %d\n%s", *r.ExitCode, said)), nil
		}
		return false, "", r.Error
	}
}
