package steps

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/a-seed-11b9befa/flow/providers"
)

// An ending is how an agent's step came out; the conversation has the rest.
type ending struct {
	status  Status
	reason  Reason
	found   found
	partial bool
	err     *Error
	pending []Pending

	lastTurn bool // not at its end yet: the model is asked for what it has
}

// atLimit ends the work, but for the last turn.
func atLimit(reason Reason) *ending { return &ending{reason: reason, lastTurn: true} }

// result puts the ending and what was counted together.
func (d *dialogue) result(e ending) Result {
	r := Result{
		Status: e.status, StopReason: e.reason,
		Text: e.found.text, Output: e.found.value, Partial: e.partial,
		Turns: d.c.Turns, ToolCalls: len(d.c.Calls), Denied: d.c.Denied, Truncated: d.c.Truncated, Lost: d.c.Lost,
		Usage: &d.c.Usage, Unpriced: d.c.Unpriced,
		Cached: d.c.Cached, SavedUSD: d.c.SavedUSD,
		Error: e.err, Pending: e.pending,
	}
	if d.agent.Hooks.Price != nil && len(d.c.Unpriced) == 0 {
		r.CostUSD = &d.c.CostUSD
	}
	return r
}

// stopped keeps what the model said last as a part of the result.
func (d *dialogue) stopped(reason Reason, kind Kind, message string) *ending {
	return &ending{
		status: Stopped, reason: reason, partial: true, found: d.rest(),
		err: &Error{Kind: kind, Message: message},
	}
}

// failed keeps the last words, too; they are no result, and partial where the
// answer broke off.
func (d *dialogue) failed(reason Reason, err *Error) *ending {
	return &ending{status: Failed, reason: reason, partial: d.c.Broken != "", found: found{text: d.c.lastText()}, err: err}
}

// rest is what there is of a result where the model gave none.
func (d *dialogue) rest() found {
	text := d.c.lastText()
	if d.form.structured() {
		return found{text: text}
	}
	result, _ := d.form.parse(text)
	return result
}

// misfit fails the step whose result was sent back often enough.
func (d *dialogue) misfit(problem error) *ending {
	return d.failed(ReasonInvalidOutput, &Error{Kind: KindInvalidOutput, Message: problem.Error(), Err: problem})
}

// refuse fails the step that may not go on after a denied call.
func (d *dialogue) refuse(denial Denial) *ending {
	return d.failed(ReasonDenied, &Error{
		Kind: KindDenied, Message: fmt.Sprintf("tool %q: denied by %s", denial.Tool, denial.Rule),
	})
}

// unfinished ends the step with an answer that the provider did not let finish.
func (d *dialogue) unfinished(answer providers.Message, reason Reason) *ending {
	model := answer.Model
	switch reason {
	case ReasonContentFilter:
		return d.failed(reason, &Error{Kind: KindContentFilter, Message: model + ": " + filtered(answer)})
	case ReasonBudget:
		e := d.stopped(reason, KindBudget, model+": the answer was cut off where the run's budget is used up")
		e.err.Err = d.bound.cause
		return e
	case ReasonOutputLimit:
		message := model + ": the answer was cut off where it became too long"
		if n := answer.Usage.OutputTokens; n > 0 {
			message = fmt.Sprintf("%s: the answer was cut off after %d tokens", model, n)
		}
		e := d.stopped(reason, KindLimit, message)
		e.err.Hint = "params.max_output_tokens allows longer answers"
		return e
	}
	return d.failed(ReasonError, &Error{Kind: KindProvider, Message: model + ": the answer ended with an error"})
}

// filtered says what became of an answer that was refused: in the service's or
// the model's own words, which come as thinking, where there are some.
func filtered(answer providers.Message) string {
	if n := len(answer.Blocks); n > 0 && answer.Blocks[n-1].Type == providers.BlockThinking {
		if words := strings.TrimSpace(answer.Blocks[n-1].Text); words != "" {
			return "the answer was refused: " + ends(words, maxShown)
		}
	}
	return "the answer was cut off for its content"
}

// broken ends the step where a request, a check or a condition gave an error.
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

// reasonOf is why a step failed, where the kind of its error says that.
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

// interrupted ends the work whose context has ended. Where that was the time of
// the step's own stop there is a last turn; else it would need the time, or the
// money, that is gone.
func (d *dialogue) interrupted(ctx context.Context) *ending {
	if errors.Is(context.Cause(ctx), errStopTimeout) {
		d.warn(d.c.Turns+1, d.agent.Stop.told(ReasonTimeout, &d.c)+"; what ran was cancelled")
		return atLimit(ReasonTimeout)
	}
	r := Interrupted(context.Cause(ctx))
	return &ending{status: r.Status, reason: r.StopReason, partial: r.Status == Stopped || d.c.Broken != "", found: d.rest(), err: d.refused.explain(r.Error)}
}

// Refused are the requests since the last answer that the service refused, and that are made
// again.
type refused struct {
	times int
	last  error
}

// explain adds to an error that the time is up what that time went by with.
func (r refused) explain(e *Error) *Error {
	if r.times == 0 || e.Kind != KindTimeout {
		return e
	}
	why := *e
	last := "the last request was refused"
	if r.times > 1 {
		last = fmt.Sprintf("the last %d requests were refused", r.times)
	}
	why.Message = fmt.Sprintf("%s; %s: %v", e.Message, last, r.last)
	why.Err = e
	return &why
}

// Interrupted is the result of work that a context ended for this cause
// ([context.Cause]): time or money that ran out stops a step, or else somebody
// cancelled it.
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

// interrupted is what a command or a call came to whose context ended.
func (r Result) interrupted(ctx context.Context) Result {
	end := Interrupted(context.Cause(ctx))
	r.Status, r.StopReason, r.Error, r.Partial = end.Status, end.StopReason, end.Error, end.Status == Stopped
	return r
}

// CauseError returns why a context ended, from its cause ([context.Cause]): the [Error]
// in the cause's chain, which every limit of a run or a step gives, [KindTimeout] for a
// deadline without one, which is the caller's, else [KindCancelled].
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

// asError gives err a kind. It is meant for errors while the context lives: a
// provider whose own patience ended has not been cancelled.
func asError(err error) *Error {
	var own *Error
	if errors.As(err, &own) {
		if err == error(own) {
			return own
		}
		return &Error{Kind: own.Kind, Message: err.Error(), Hint: own.Hint, Option: own.Option, Err: err}
	}
	e := &Error{Kind: KindOf(err), Message: err.Error(), Err: err}
	var provider *providers.Error
	switch {
	case errors.As(err, &provider) && e.Kind == KindCancelled:
		e.Kind = KindNetwork
	case errors.Is(err, context.DeadlineExceeded):
		e.Message = "time limit reached"
	case errors.Is(err, context.Canceled):
		e.Message = "cancelled"
	}
	return e
}

// withKind is the error with a kind where nobody else gave it one.
func withKind(err error, kind Kind) *Error {
	e := *asError(err) // which may be somebody else's
	if e.Kind == KindInternal {
		e.Kind = kind
	}
	return &e
}
