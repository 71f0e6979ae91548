package runner

import (
	"context"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
)

// A Job is the work of one unit in one attempt: a conversation, a command, or a call of a tool. It is
// everything that another machine needs to do it, and what it has to tell meanwhile.
type Job struct {
	Unit journal.Address // with its attempt
	Work *Work
	Past steps.Past // of a conversation that continues, with the answers of persons to its calls

	// Remember records a fact of the conversation, before anything depends on it. It is safe for
	// concurrent use.
	Remember func(steps.Fact)

	// Reserve waits until the budgets have room for a request, and returns how much of it. An error
	// is a [steps.Error] of the kind budget, or the context's cause.
	Reserve func(context.Context, steps.Estimate) (steps.Grant, error)

	unit *unit
}

// Run does the job in this process. An error is one because of which it could not begin.
func (j Job) Run(ctx context.Context) (steps.Result, error) {
	run, err := j.unit.bind(ctx, j)
	if err != nil {
		return steps.Result{}, err
	}
	return run(context.WithValue(ctx, unitKey{}, j.unit)), nil
}

// execute does a job, here or where the options say. A question is asked here, and here are conversations that
// run workflows.
func (u *unit) execute(ctx context.Context, j Job) (steps.Result, error) {
	switch {
	case j.Work.Question != nil:
		j.unit.question = j.Work.Question
		return j.unit.answered(), nil
	case u.Execute != nil && len(u.step.Inside()) == 0:
		return u.Execute(ctx, j)
	}
	return j.Run(ctx)
}
