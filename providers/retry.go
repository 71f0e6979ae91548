package providers

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// A RetryPolicy says how often and when a refused request is made again. The
// zero policy is four attempts, waiting up to 2 s, 4 s and 8 s.
type RetryPolicy struct {
	Attempts   int           // with the first one; 0 is 4
	Backoff    time.Duration // the bound of the first wait, doubled for each one after it; 0 is 2 s
	MaxBackoff time.Duration // the bound of every such wait; 0 is 30 s
	MaxWait    time.Duration // a service that asks for more has failed; 0 is 2 minutes
}

// Retry returns a model that makes m's requests again when they fail in a way
// that may pass: see [Error.Retryable]. It waits as long as the service has
// asked for, or else a random part of the policy's backoff, and tells each wait
// by a [Retried] event. A service that asks for more than the policy's longest
// wait is [KindRateLimited] at once. A context that ends is never retried.
//
// Where several of these wrap a model, the order from the inside is [Limit],
// Retry, [Fallback]: a request that waits for its retry holds no one up.
func Retry(m Model, p RetryPolicy) Model {
	return &retrying{model: m, policy: p.withDefaults()}
}

func (p RetryPolicy) withDefaults() RetryPolicy {
	if p.Attempts <= 0 {
		p.Attempts = 4
	}
	if p.Backoff <= 0 {
		p.Backoff = 2 * time.Second
	}
	if p.MaxBackoff <= 0 {
		p.MaxBackoff = 30 * time.Second
	}
	if p.MaxWait <= 0 {
		p.MaxWait = longestWait
	}
	return p
}

// wait is what to wait after the given attempt has failed with e.
func (p RetryPolicy) wait(attempt int, e *Error) time.Duration {
	if e.RetryAfter > 0 {
		return e.RetryAfter
	}
	bound := p.Backoff
	for i := 1; i < attempt && bound < p.MaxBackoff; i++ {
		bound *= 2
	}
	return time.Duration(rand.Int64N(int64(min(bound, p.MaxBackoff)) + 1))
}

type retrying struct {
	model  Model
	policy RetryPolicy
}

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
		wait := r.policy.wait(attempt, refused)
		if wait > r.policy.MaxWait {
			return answer, r.tooLong(refused, wait)
		}
		if attempt >= r.policy.Attempts {
			return answer, exhausted(err, attempt)
		}
		emit(Event{Type: Retried, Attempt: attempt, Wait: wait, Err: err})
		if !sleep(ctx, wait) {
			return answer, r.cancelled(ctx, err)
		}
	}
}

// cancelled keeps the model's own word on a context that ended.
func (r *retrying) cancelled(ctx context.Context, err error) error {
	if KindOf(err) == KindCancelled && errors.Is(err, context.Cause(ctx)) {
		return err
	}
	return Cancelled(ctx, r.model.Info().Ref)
}

// tooLong is the refusal of a service that wants to be left alone for longer
// than a run waits.
func (r *retrying) tooLong(refused *Error, wait time.Duration) error {
	e := *refused
	e.Kind, e.Retryable = KindRateLimited, false
	e.Message = fmt.Sprintf("the service asks to wait %v, and at most %v is waited", wait.Round(time.Millisecond), r.policy.MaxWait)
	if said := refused.Message; said != "" {
		e.Message = said + "; " + e.Message
	}
	e.Err = refused
	return &e
}

func exhausted(err error, attempts int) error {
	if attempts == 1 {
		return err
	}
	return fmt.Errorf("%w, after %d attempts", err, attempts)
}
