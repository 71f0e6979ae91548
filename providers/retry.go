package providers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// How often and when [Retry] sends a request.
const (
	Attempts     = 4               // with the first one
	firstBackoff = 2 * time.Second // the bound of the first wait, doubled for each one after it
)

// Retry returns a model that retries m's requests for errors that are [Error.Retryable],
// with four attempts in all. It waits as long as the service asks, or else a random part
// of 2 s, 4 s and 8 s, and emits a [Retried] event before each wait. If a service asks for
// more than two minutes, the request fails with [KindRateLimited] at once. A context that
// ends is never retried.
//
// Wrap a model in this order, from the inside: [Limit], Retry, [Fallback], so that a
// request that waits for its retry does not delay others.
func Retry(m Model) Model { return &retrying{model: m} }

// backoff is the wait after the given attempt has failed with e.
func backoff(attempt int, e *Error) time.Duration {
	if e.RetryAfter > 0 {
		return e.RetryAfter
	}
	bound := firstBackoff << (attempt - 1)
	return time.Duration(rand.Int64N(int64(bound) + 1))
}

type retrying struct{ model Model }

func (r *retrying) Info() Info { return r.model.Info() }

func (r *retrying) Stream(ctx context.Context, req Request, emit func(Event)) (Message, error) {
	for attempt := 1; ; attempt++ {
		answer, err := r.model.Stream(ctx, req, emit)
		if err == nil {
			return answer, nil
		}
		var refused *Error
		switch {
		case ctx.Err() != nil:
			return answer, r.cancelled(ctx, err)
		case !errors.As(err, &refused) || !refused.Retryable:
			return answer, err
		}
		wait := backoff(attempt, refused)
		if wait > longestWait {
			return answer, r.tooLong(refused, wait)
		}
		if attempt >= Attempts {
			return answer, fmt.Errorf("%w, after %d attempts", err, Attempts)
		}
		answer.Model = cmp.Or(answer.Model, r.model.Info().Ref)
		emit(Event{Type: Retried, Attempt: attempt, Wait: wait, Err: err, Broken: &answer})
		if !Sleep(ctx, wait) {
			return answer, r.cancelled(ctx, err)
		}
	}
}

// cancelled returns the error for a context that ended: the model's own if it is one.
func (r *retrying) cancelled(ctx context.Context, err error) error {
	if KindOf(err) == KindCancelled && errors.Is(err, context.Cause(ctx)) {
		return err
	}
	return Cancelled(ctx, r.model.Info().Ref)
}

// tooLong is the error for a service that asks to wait longer than a run does.
func (r *retrying) tooLong(refused *Error, wait time.Duration) error {
	e := *refused
	e.Kind, e.Retryable = KindRateLimited, false
	e.Message = fmt.Sprintf("the service asks to wait %v, longer than the limit of %v", wait.Round(time.Millisecond), longestWait)
	if said := refused.Message; said != "" {
		e.Message = said + "; " + e.Message
	}
	e.Err = refused
	return &e
}
