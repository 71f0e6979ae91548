package steps

import (
	"context"
	"fmt"

	"github.com/a-seed-11b9befa/flow/providers"
)

// wrapUp gives the model one last turn at a limit to give what it has. The step is stopped,
// unless AcceptLimit is set and the result is valid and passes the checks.
func (d *dialogue) wrapUp(ctx context.Context, reason Reason) *ending {
	limit, kind := d.agent.Stop.message(reason, &d.c), KindLimit
	if reason == ReasonTimeout {
		kind = KindTimeout
	}
	d.say(providers.UserText(fmt.Sprintf("Stop here (%s). Nothing more can be done. Give the result now, as far as you have it: %s.", limit, d.form.instruction())))
	d.last = true
	answer, err := d.sendWithin(ctx, d.closingRequest)
	switch {
	case ctx.Err() != nil:
		return d.interrupted(ctx)
	case err != nil:
		d.warn(d.c.Turns+1, fmt.Sprintf("no last turn was possible: %v", err))
		return d.stopped(reason, kind, limit)
	}
	result, problem := d.form.find(answer)
	d.answerClosing(answer, problem)
	e := d.stopped(reason, kind, limit)
	if problem != nil || result.text == "" || d.wroteCall(answer) {
		d.warn(d.c.Turns+1, "the last turn gave no valid result")
		return e
	}
	e.found = result
	if complete(answer) || d.cutAtLimit(answer) {
		return d.accept(ctx, e)
	}
	return e
}

// cutAtLimit reports whether an answer was cut off, and not because a budget is used up.
func (d *dialogue) cutAtLimit(answer providers.Message) bool {
	return answer.Finish == providers.FinishLength && d.bound.reason != ReasonBudget
}

// acceptCut accepts an answer that became too long, like the result of the last turn at a limit.
func (d *dialogue) acceptCut(ctx context.Context, t turn, e *ending) *ending {
	result, problem := d.form.find(t.answer)
	if problem != nil || result.text == "" || len(t.answer.Calls()) > 0 {
		return e
	}
	e.found = result
	return d.accept(ctx, e)
}

// accept takes the result at a limit for success if AcceptLimit is set and the checks pass.
func (d *dialogue) accept(ctx context.Context, e *ending) *ending {
	if !d.agent.Stop.AcceptLimit {
		return e
	}
	problem, err := d.judged(ctx, e.found)
	switch {
	case err != nil:
		return d.broken(ctx, err)
	case problem != "":
		e.err.Message += "; " + problem
		return e
	}
	e.status, e.err = Succeeded, nil
	return e
}
