package steps

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/a-seed-11b9befa/flow/providers"
)

// MaxRepairs is how often a result that is not valid goes back to the model.
const MaxRepairs = 2

// judge ends the step if its result is valid and the checks pass. It returns nil if the model
// has to go on.
func (d *dialogue) judge(ctx context.Context, t turn, reason Reason) *Result {
	switch {
	case t.finished():
		return d.judgeResult(ctx, t, reason)
	case d.form.structured(): // it has not said that it is done
		return d.closing(ctx, reason)
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
	if d.c.Repairs >= MaxRepairs {
		return d.invalid(problem)
	}
	d.c.Repairs++
	warning := fmt.Sprintf("%v; sent back to the model (%d of %d)", problem, d.c.Repairs, MaxRepairs)
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

// closing asks for the result after a stop that is success. Like the last turn at a limit
// this does not count as a turn, and has no tools.
func (d *dialogue) closing(ctx context.Context, reason Reason) *Result {
	d.say(providers.UserText("You are done. Give the result now: " + d.form.instruction() + "."))
	for {
		answer, err := d.ask(ctx, d.closingRequest)
		if err != nil {
			return d.broken(ctx, err)
		}
		if answer.Finish == providers.FinishContentFilter {
			return d.cutOff(ctx, turn{answer: answer}, ReasonContentFilter)
		}
		result, problem := d.form.find(answer)
		if problem == nil && !complete(answer) {
			problem = fmt.Errorf("the answer was cut off (%s)", answer.Finish)
		}
		d.answerClosing(answer, problem)
		if problem == nil {
			return d.check(ctx, result, reason)
		}
		d.switchToResultTool(answer) // the message below then asks in the new form
		if d.c.Repairs >= MaxRepairs {
			return d.invalid(problem)
		}
		d.c.Repairs++
		if len(answer.Calls()) == 0 {
			d.say(providers.UserText(d.form.correct(problem)))
		}
	}
}

// complete reports whether the model ended its answer itself.
func complete(answer providers.Message) bool {
	return answer.Finish == providers.FinishStop || answer.Finish == providers.FinishToolCalls
}
