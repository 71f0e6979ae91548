package steps

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/a-seed-11b9befa/flow/providers"
)

// maxRepairs is how often a result that is not valid goes back to the model.
const maxRepairs = 2

// judge ends the step if its result is valid and the checks pass. It returns nil if the model
// has to go on.
func (d *dialogue) judge(ctx context.Context, t turn, reason Reason) *Result {
	if t.finished() {
		return d.judgeResult(ctx, t, cmp.Or(d.c.Done, reason))
	}
	if d.form.structured() { // it has not said that it is done: the next turn is for the result
		text := "You are done. Give the result now: " + d.form.instruction() + "."
		if d.c.Done != "" { // and only the first one comes whatever the limits
			return d.again("", text)
		}
		d.c.Done, d.c.Force = reason, true
		d.say(providers.UserText(text))
		return nil
	}
	result, _ := d.form.parse(d.c.lastText())
	return d.check(ctx, result, reason)
}

// judgeResult is judge for a turn with which the model says that it is done.
func (d *dialogue) judgeResult(ctx context.Context, t turn, reason Reason) *Result {
	result, problem := d.form.find(t.answer)
	idle := d.idleTurn(t, problem)
	if idle == nil {
		d.c.Idle = 0
	} else if d.c.Idle++; d.c.Idle == 1 {
		return d.again(idle.problem+"; the model is asked once more", idle.ask)
	} else if !idle.empty || len(d.agent.Checks) == 0 {
		return d.invalid(errors.New(idle.problem))
	}
	if problem != nil {
		return d.repair(t, problem)
	}
	if result.text == "" {
		d.warn(d.c.Turns, "the model's final answer is empty")
	}
	return d.check(ctx, result, reason)
}

// repair sends the model what is wrong with its result. A model that should have submitted it
// by a call is first made to call, which does not count.
func (d *dialogue) repair(t turn, problem error) *Result {
	if d.switchToResultTool(t.answer) {
		d.c.Messages = slices.Clip(d.c.Messages[:len(d.c.Messages)-1])
		return d.again("", "")
	}
	if d.form.tool != "" && !t.submitted && !d.c.Force {
		d.c.Force = true
		return d.again("", fmt.Sprintf("Hand in your result now, by calling %s.", d.form.tool))
	}
	if d.c.Repairs >= maxRepairs {
		return d.invalid(problem)
	}
	d.c.Repairs++
	warning := fmt.Sprintf("%v; sent back to the model (%d of %d)", problem, d.c.Repairs, maxRepairs)
	if t.submitted { // the answer to the call says it
		return d.again(warning, "")
	}
	return d.again(warning, d.form.correct(problem))
}

// switchToResultTool switches to a tool that takes the result, if the answer shows that the
// service, contrary to expectation, ignores the schema in a request. It reports whether it did:
// the model, which has not seen the schema, was asked in the wrong way, and its answer does not
// belong to the conversation.
func (d *dialogue) switchToResultTool(answer providers.Message) bool {
	if d.info.StructuredOutput || !d.form.ignored(answer) {
		return false
	}
	d.warn(d.c.Turns, "the service ignored the schema of the result: the model is asked again, with a tool for the result")
	d.form = d.form.byTool(nil) // the step has no tools: with tools a schema was not expected to work
	return true
}

// again lets the model go on, unless a limit is reached. The warning and the text for the model
// may be empty.
func (d *dialogue) again(warning, text string) *Result {
	if warning != "" {
		d.warn(d.c.Turns, warning)
	}
	if text != "" {
		d.say(providers.UserText(text))
	}
	if next := d.agent.Stop.limited(&d.c); next.then == wrapUp {
		return atLimit(next.reason)
	}
	return nil
}

// complete reports whether the model ended its answer itself.
func complete(answer providers.Message) bool {
	return answer.Finish == providers.FinishStop || answer.Finish == providers.FinishToolCalls
}
