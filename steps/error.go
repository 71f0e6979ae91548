package steps

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/a-seed-11b9befa/flow/providers"
)

// Kind is the kind of an error. Results, events and exit codes all use this list.
type Kind string

// The kinds of errors.
const (
	KindInvalidWorkflow Kind = "invalid_workflow"
	KindInvalidInput    Kind = "invalid_input"
	KindConfiguration   Kind = Kind(providers.KindConfiguration)
	KindAuth            Kind = Kind(providers.KindAuth)
	KindRateLimited     Kind = Kind(providers.KindRateLimited)
	KindOverloaded      Kind = Kind(providers.KindOverloaded)
	KindProvider        Kind = Kind(providers.KindProvider)
	KindNetwork         Kind = Kind(providers.KindNetwork)
	KindContextLength   Kind = Kind(providers.KindContextLength)
	KindContentFilter   Kind = Kind(providers.KindContentFilter)
	KindInvalidOutput   Kind = "invalid_output"
	KindCheckFailed     Kind = "check_failed"
	KindTool            Kind = "tool"
	KindCommand         Kind = "command"
	KindDenied          Kind = "denied"
	KindLimit           Kind = "limit"
	KindBudget          Kind = "budget"
	KindTimeout         Kind = "timeout"
	KindCancelled       Kind = Kind(providers.KindCancelled)
	KindInternal        Kind = "internal"
)

// Words returns the kind as part of a sentence: "command error", "invalid output".
func (k Kind) Words() string {
	switch k {
	case KindCommand, KindTool, KindProvider, KindNetwork, KindAuth, KindConfiguration, KindInternal:
		return string(k) + " error"
	case KindLimit:
		return "limit reached"
	case KindBudget:
		return "budget used up"
	}
	return strings.ReplaceAll(string(k), "_", " ")
}

// Error is why a step did not succeed.
type Error struct {
	Kind    Kind   `json:"kind"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	Option  string `json:"option,omitempty"` // the option of the run that would help, which programs call by other names; "" is none
	Err     error  `json:"-"`                // the cause, if there is one

	// BudgetOf is whose budget is used up, as [Grant] names it; "" is the run's, or it is no error of
	// that kind.
	BudgetOf string `json:"budget_of,omitempty"`

	// Continues says that this budget has on_limit: continue: an agent gets a last turn, and what the
	// budget stops counts as success.
	Continues bool `json:"continues,omitempty"`
}

// Invalid returns an error of [KindInvalidInput], whose cause is that of [fmt.Errorf]. The hint may be
// empty.
func Invalid(hint, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &Error{Kind: KindInvalidInput, Message: err.Error(), Hint: hint, Err: errors.Unwrap(err)}
}

// Error returns the message, without the hint.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// HintOf returns the hint of the [Error] in err's chain, which its text lacks; "" if there is none.
// The hints of diagnostics are in their text.
func HintOf(err error) string {
	var hinted *Error
	if !errors.As(err, &hinted) {
		return ""
	}
	return hinted.Hint
}

// KindOf returns the kind of the [Error] or the provider's error in err's chain, or what its
// method ErrorKind returns, as that of diagnostics does; [KindTimeout] for a deadline,
// [KindCancelled] for a cancelled context, and [KindInternal] for anything else, also for nil: that a
// run succeeded, or waits (runner.ErrWaiting), is no failure of any kind.
func KindOf(err error) Kind {
	kind := OwnKind(err)
	switch {
	case kind != "":
		return kind
	case errors.Is(err, context.DeadlineExceeded):
		return KindTimeout
	case errors.Is(err, context.Canceled):
		return KindCancelled
	}
	return KindInternal
}

// OwnKind is KindOf for an error of something whose context has not ended: what such an error says
// of a deadline or a cancellation is about another one. It returns "" if err has no kind.
func OwnKind(err error) Kind {
	var own *Error
	var provider *providers.Error
	var kinded interface{ ErrorKind() string }
	switch {
	case errors.As(err, &own):
		return own.Kind
	case errors.As(err, &provider):
		return Kind(provider.Kind)
	case errors.As(err, &kinded):
		return Kind(kinded.ErrorKind())
	}
	return ""
}

// asError is withKind for errors of which nothing is known.
func asError(err error) *Error { return withKind(err, KindInternal) }

// withKind returns err as an [Error], of that kind if err has none. The step's context must not be
// done: what err says of a deadline or a cancellation is then about one of a tool's, a model's or a
// check's own.
func withKind(err error, kind Kind) *Error {
	var own *Error
	if errors.As(err, &own) {
		if err == error(own) && own.Kind != KindInternal {
			return own
		}
		e := *own // a copy, because others may have it
		e.Message, e.Err = err.Error(), err
		if e.Kind == KindInternal {
			e.Kind = kind
		}
		return &e
	}
	e := &Error{Kind: cmp.Or(OwnKind(err), kind), Message: err.Error(), Err: err}
	var provider *providers.Error
	if errors.As(err, &provider) {
		if e.Hint = provider.Hint; e.Kind == KindCancelled {
			e.Kind = KindNetwork
		}
	}
	return e
}
