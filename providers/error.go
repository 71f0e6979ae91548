package providers

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Kind is the kind of an error, in the words of results.
type Kind string

// The kinds of errors of a provider.
const (
	KindConfiguration Kind = "configuration"  // no key, no such model, a request that can't be made
	KindAuth          Kind = "auth"           // the key was refused
	KindRateLimited   Kind = "rate_limited"   // 429, or a wait longer than the caller waits
	KindOverloaded    Kind = "overloaded"     // 503, 529
	KindProvider      Kind = "provider"       // any other refusal, or an answer that makes no sense
	KindNetwork       Kind = "network"        // no answer, or one that broke off
	KindContextLength Kind = "context_length" // the conversation is too long for the model
	KindContentFilter Kind = "content_filter" // the request was refused for its content
	KindCancelled     Kind = "cancelled"      // the caller's context ended
)

// An Error is why a request got no good answer.
type Error struct {
	Kind       Kind
	Model      string        // the reference of the model
	Status     int           // of HTTP; 0 when there was none
	Code       string        // the provider's own word for it, if any
	Message    string        // the provider's own words
	Hint       string        // what has to change before the same request can succeed; "": it is not known
	RetryAfter time.Duration // the wait that the provider asks for; 0: none
	Retryable  bool          // the same request may succeed later
	Err        error         // the cause, if there is one
}

// Error returns the message, with the model and the status.
func (e *Error) Error() string {
	text := e.Message
	if text == "" && e.Err != nil {
		text = e.Err.Error()
	}
	if text == "" {
		text = fmt.Sprintf("%s error without a message", e.Kind)
	}
	if e.Status != 0 {
		text = fmt.Sprintf("%s (HTTP %d)", text, e.Status)
	}
	if e.Model != "" {
		text = e.Model + ": " + text
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// KindOf returns the kind of the [Error] in err's chain, [KindCancelled] for a context that
// ended, and [KindProvider] for anything else.
func KindOf(err error) Kind {
	var e *Error
	switch {
	case errors.As(err, &e):
		return e.Kind
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return KindCancelled
	}
	return KindProvider
}

// Cancelled returns the error for a request to a model that ended because ctx did. It wraps
// ctx's cause.
func Cancelled(ctx context.Context, model string) *Error {
	return &Error{Kind: KindCancelled, Model: model, Err: context.Cause(ctx)}
}
