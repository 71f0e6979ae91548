package steps

import (
	"context"
	"errors"
)

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
