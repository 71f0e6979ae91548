package steps

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/a-seed-11b9befa/flow/providers"
)

// ending is how an agent's step ended. The rest of the result is in the conversation.
type ending struct {
	status  Status
	reason  Reason
	found   found
	partial bool
	err     *Error
	pending []Pending

	lastTurn bool // the last turn comes first, see wrapUp
}

// atLimit returns the ending at a limit, before the last turn.
func atLimit(reason Reason) *ending { return &ending{reason: reason, lastTurn: true} }

// result returns the result of a step with that ending.
func (d *dialogue) result(e ending) Result {
	d.countRest()
	r := Result{
		Status: e.status, StopReason: e.reason,
		Text: e.found.text, Output: e.found.value, Partial: e.partial,
		Used: Used{
			Turns: d.c.Turns, ToolCalls: len(d.c.Calls), Denied: d.c.Denied, Truncated: d.c.Truncated, Lost: d.c.Lost,
			Usage: &d.c.Usage, Unpriced: d.c.Unpriced, Cached: d.c.Cached, SavedUSD: d.c.SavedUSD,
		},
		Error: e.err, Pending: e.pending,
	}
	if d.agent.Hooks.Price != nil && len(d.c.Unpriced) == 0 {
		r.CostUSD = &d.c.CostUSD
	}
	return r
}

// stopped returns an ending with the model's last text as a partial result.
func (d *dialogue) stopped(reason Reason, kind Kind, message string) *ending {
	return &ending{
		status: Stopped, reason: reason, partial: true, found: d.rest(),
		err: &Error{Kind: kind, Message: message},
	}
}

// failed returns an ending with the model's last text, which is not a result. It is partial
// if the answer broke off.
func (d *dialogue) failed(reason Reason, err *Error) *ending {
	return &ending{status: Failed, reason: reason, partial: d.c.Broken != "", found: found{text: d.c.lastText()}, err: err}
}

// rest returns what there is of a result when the model gave none.
func (d *dialogue) rest() found {
	text := d.c.lastText()
	if d.form.structured() {
		return found{text: text}
	}
	result, _ := d.form.parse(text)
	return result
}

// misfit fails the step when its result is still not valid after maxRepairs.
func (d *dialogue) misfit(problem error) *ending {
	return d.failed(ReasonInvalidOutput, &Error{Kind: KindInvalidOutput, Message: problem.Error(), Err: problem})
}

// refuse fails the step because of a denied call.
func (d *dialogue) refuse(denial Denial) *ending {
	return d.failed(ReasonDenied, &Error{
		Kind: KindDenied, Message: fmt.Sprintf("tool %q: denied by %s", denial.Tool, denial.Rule),
	})
}

// unfinished ends the step with an answer that was cut off.
func (d *dialogue) unfinished(answer providers.Message, reason Reason) *ending {
	model := answer.Model
	switch reason {
	case ReasonContentFilter:
		return d.failed(reason, &Error{Kind: KindContentFilter, Message: model + ": " + d.filtered(answer)})
	case ReasonBudget:
		e := d.stopped(reason, KindBudget, model+": the answer was cut off, because the budget of the run is used up")
		e.err.BudgetOf = d.bound.budgetOf
		return e
	case ReasonOutputLimit:
		message := model + ": the answer was cut off at its length limit"
		if n := answer.Usage.OutputTokens; n > 0 {
			message = fmt.Sprintf("%s: the answer was cut off after %d tokens", model, n)
		}
		e := d.stopped(reason, KindLimit, message)
		e.err.Hint = "to allow longer answers: params.max_output_tokens"
		return e
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

// broken ends the step after an error of a request, a check or a condition.
func (d *dialogue) broken(ctx context.Context, err error) *ending {
	if ctx.Err() != nil {
		return d.interrupted(ctx)
	}
	e := asError(err)
	if e.Kind == KindBudget {
		stopped := d.stopped(ReasonBudget, e.Kind, e.Message)
		stopped.err = e
		return stopped
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

// interrupted ends the step when its context is done. After the step's own timeout there is
// a last turn. Otherwise there is no time or money for one.
func (d *dialogue) interrupted(ctx context.Context) *ending {
	if errors.Is(context.Cause(ctx), errStopTimeout) {
		d.warn(d.c.Turns+1, d.agent.Stop.message(ReasonTimeout, &d.c)+"; what ran was cancelled")
		return atLimit(ReasonTimeout)
	}
	r := Interrupted(context.Cause(ctx))
	return &ending{status: r.Status, reason: r.StopReason, partial: r.Status == Stopped || d.c.Broken != "", found: d.rest(), err: r.Error}
}

// Interrupted returns the result of work whose context is done with that cause
// ([context.Cause]): the step is stopped if time or money ran out, else it is cancelled.
func Interrupted(cause error) Result {
	e := CauseError(cause)
	switch e.Kind {
	case KindTimeout:
		return Result{Status: Stopped, StopReason: ReasonTimeout, Error: e}
	case KindBudget:
		return Result{Status: Stopped, StopReason: ReasonBudget, Error: e}
	case KindCancelled:
		return Result{Status: Cancelled, StopReason: ReasonCancelled, Error: e}
	}
	return Result{Status: Cancelled, StopReason: ReasonCancelled, Error: &Error{Kind: KindCancelled, Message: e.Message, Err: e.Err}}
}

// interrupted returns the result of a command or a call whose context is done.
func (r Result) interrupted(ctx context.Context) Result {
	end := Interrupted(context.Cause(ctx))
	r.Status, r.StopReason, r.Error, r.Partial = end.Status, end.StopReason, end.Error, end.Status == Stopped
	return r
}

// CauseError returns the error for the cause of a context that is done ([context.Cause]).
// It is the [Error] in the cause's chain, which the limits of a run or a step put there;
// [KindTimeout] for any other deadline, which is the caller's; else [KindCancelled].
func CauseError(cause error) *Error {
	var own *Error
	switch {
	case errors.As(cause, &own):
		return own
	case errors.Is(cause, context.DeadlineExceeded):
		return &Error{Kind: KindTimeout, Message: "the time of the run is up", Err: cause}
	case errors.Is(cause, context.Canceled):
		return &Error{Kind: KindCancelled, Message: "cancelled", Err: cause}
	}
	return &Error{Kind: KindCancelled, Message: cause.Error(), Err: cause}
}

// asError returns err as an [Error] with a kind. The step's context must not be done: what err
// says of a deadline or a cancellation is then about one of a tool's, a model's or a check's own.
func asError(err error) *Error {
	var own *Error
	if errors.As(err, &own) {
		if err == error(own) {
			return own
		}
		return &Error{Kind: own.Kind, Message: err.Error(), Hint: own.Hint, Option: own.Option, Err: err}
	}
	e := &Error{Kind: cmp.Or(OwnKind(err), KindInternal), Message: err.Error(), Err: err}
	var provider *providers.Error
	if errors.As(err, &provider) {
		if e.Hint = provider.Hint; e.Kind == KindCancelled {
			e.Kind = KindNetwork
		}
	}
	return e
}

// withKind is asError with a default for the kind.
func withKind(err error, kind Kind) *Error {
	e := *asError(err) // a copy, because others may have the error
	if e.Kind == KindInternal {
		e.Kind = kind
	}
	return &e
}
