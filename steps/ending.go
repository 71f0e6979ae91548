package steps

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/tools"
)

// atLimit ends the step at a limit. It has no status yet: the last turn comes first, see wrapUp.
func atLimit(reason Reason) *Result { return &Result{StopReason: reason} }

// total adds to a result what the step has used. What is left of the replay was paid for.
func (d *dialogue) total(r Result) Result {
	d.countAgain(d.replay.facts...)
	r.Used = d.c.Used
	r.ToolCalls = len(d.c.Calls)
	if d.agent.Hooks.Price == nil || len(d.c.Unpriced) > 0 {
		r.CostUSD = nil
	}
	return r
}

// partly adds to a result what there is of one when the model gave none.
func (d *dialogue) partly(r Result) *Result {
	r.Text = d.c.lastText()
	if !d.form.structured() {
		rest, _ := d.form.parse(r.Text)
		r.Output = rest.value
	}
	r.Partial = r.Status == Stopped || d.c.Broken != ""
	return &r
}

func (d *dialogue) stopped(reason Reason, err *Error) *Result {
	return d.partly(Result{Status: Stopped, StopReason: reason, Error: err})
}

// failed ends the step with the model's last text, which is not a result. It is partial if the
// answer broke off.
func (d *dialogue) failed(reason Reason, err *Error) *Result {
	return &Result{Status: Failed, StopReason: reason, Text: d.c.lastText(), Partial: d.c.Broken != "", Error: err}
}

// refuse fails the step because of a denied call.
func (d *dialogue) refuse(c *call) *Result {
	return d.failed(ReasonDenied, &Error{Kind: KindDenied, Message: denied(c.block.Name, c.answer.Decision)})
}

// denied says that a call was denied, and why.
func denied(tool string, d tools.Decision) string {
	return fmt.Sprintf("a call of tool %q was denied: %s", tool, cmp.Or(d.Reason, d.Rule))
}

// invalid fails the step because the model gives no valid result.
func (d *dialogue) invalid(problem error) *Result {
	return d.failed(ReasonInvalidOutput, &Error{Kind: KindInvalidOutput, Message: problem.Error(), Err: problem})
}

// broken ends the step after an error of a request, a call, a check or a condition. After the
// step's own timeout, and a budget that continues, there is a last turn; otherwise there is no time or
// money for one.
func (d *dialogue) broken(ctx context.Context, err error) *Result {
	over := ctx.Err() != nil
	if over {
		err = context.Cause(ctx)
	}
	switch {
	case errors.Is(err, errStopTimeout):
		if d.replay.live {
			d.note(Fact{TimeUp: true})
			d.warn(d.c.Turns+1, d.agent.Stop.message(ReasonTimeout, &d.c)+"; what ran was cancelled")
		}
		return atLimit(ReasonTimeout)
	case over && !CauseError(err).Continues:
		return d.partly(Interrupted(err))
	}
	e := asError(err)
	switch {
	case e.Continues && d.c.counted().Turns > 0:
		if d.replay.live {
			d.note(Fact{Budget: e})
		}
		return &Result{StopReason: ReasonBudget, Error: e}
	case e.Kind == KindBudget:
		return d.stopped(ReasonBudget, e)
	}
	return d.failed(reasonOf(e.Kind), e)
}

// reasonOf returns the reason for a failure with an error of that kind.
func reasonOf(kind Kind) Reason {
	switch kind {
	case KindDenied:
		return ReasonDenied
	case KindRateLimited:
		return ReasonRateLimited
	case KindContentFilter:
		return ReasonContentFilter
	}
	return ReasonError
}

// cutOff ends the step with an answer that the model did not end itself.
func (d *dialogue) cutOff(ctx context.Context, t turn, reason Reason) *Result {
	model := t.answer.Model
	switch reason {
	case ReasonContentFilter:
		return d.failed(reason, &Error{Kind: KindContentFilter, Message: model + ": " + d.filtered(t.answer)})
	case ReasonBudget:
		return d.stopped(reason, &Error{
			Kind: KindBudget, Message: model + ": the answer was cut off, because the budget of the run is used up", BudgetOf: t.bound.BudgetOf,
		})
	case ReasonOutputLimit:
		message := model + ": the answer was cut off at its length limit"
		if n := t.answer.Usage.OutputTokens; n > 0 {
			message = fmt.Sprintf("%s: the answer was cut off after %d tokens", model, n)
		}
		r := d.stopped(reason, &Error{Kind: KindLimit, Message: message, Hint: "to allow longer answers: params.max_output_tokens"})
		if result, problem := d.form.find(t.answer); problem == nil && len(t.answer.Calls()) == 0 {
			return d.accept(ctx, r, result)
		}
		return r
	}
	return d.failed(ReasonError, &Error{Kind: KindProvider, Message: model + ": the answer ended with an error"})
}

// filtered returns the message about a refused answer, with the words of the service or the
// model, if there are any, which come as thinking.
func (d *dialogue) filtered(answer providers.Message) string {
	if n := len(answer.Blocks); n > 0 && answer.Blocks[n-1].Type == providers.BlockThinking {
		if words := strings.TrimSpace(answer.Blocks[n-1].Text); words != "" {
			return "the answer was refused: " + ends(d.agent.Tools.Hide(words), maxShown)
		}
	}
	return "the service cut the answer off because of its content"
}

// wrapUp gives the model one last turn at a limit to give what it has. The step is stopped,
// unless AcceptLimit is set and the result is valid and passes the checks.
func (d *dialogue) wrapUp(ctx context.Context, at *Result) *Result {
	limit := at.Error
	if limit == nil {
		limit = &Error{Kind: KindLimit, Message: d.agent.Stop.message(at.StopReason, &d.c)}
	}
	if at.StopReason == ReasonTimeout {
		limit.Kind = KindTimeout
	}
	d.say(providers.UserText(fmt.Sprintf("Stop here (%s). Nothing more can be done. Give the result now, as far as you have it: %s.", limit.Message, d.form.instruction())))
	d.last = true
	answer, err := d.ask(ctx)
	if ctx.Err() != nil {
		return d.broken(ctx, err)
	}
	r := d.stopped(at.StopReason, limit)
	if err != nil {
		d.warn(d.c.Turns+1, fmt.Sprintf("no last turn was possible: %v", err))
		return r
	}
	result, problem := d.form.find(answer)
	if problem != nil || result.text == "" || d.wroteCall(answer) {
		gave := "answer"
		if d.form.structured() {
			gave = "valid result"
		}
		without := *limit // it may be the run's
		without.Message += "; asked once more to conclude, the model gave no " + gave
		r.Error = &without
		return r
	}
	if complete(answer) || answer.Finish == providers.FinishLength && d.bound == nil {
		return d.accept(ctx, r, result)
	}
	r.Text, r.Output = result.text, result.value
	return r
}

// accept takes a result at a limit for success if AcceptLimit is set and the checks pass.
func (d *dialogue) accept(ctx context.Context, r *Result, result found) *Result {
	if result.text == "" {
		return r
	}
	r.Text, r.Output = result.text, result.value
	if !d.agent.Stop.AcceptLimit || r.StopReason == ReasonBudget {
		return r
	}
	problem, err := d.judged(ctx, result)
	switch {
	case err != nil:
		return d.broken(ctx, err)
	case problem != "":
		r.Error.Message += "; " + problem
		return r
	}
	r.Status, r.Error = Succeeded, nil
	return r
}
