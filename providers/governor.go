package providers

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// GovernorOptions limit the requests to one service.
type GovernorOptions struct {
	MaxConcurrent     int // concurrent requests; 0 is 16
	RequestsPerMinute int // spread evenly; 0: no pace
	TokensPerMinute   int // in and out; 0: no pace
}

// A Governor schedules all requests of a run to one service with one key. It admits them
// in the order in which they come. Requests that wait don't count as concurrent.
//
// It follows the options, and the refusals of the service: after one all requests wait as
// long as the service asks, and then half as many run at once. Each round of good answers
// admits one more; before the first refusal each good answer does. It is safe for
// concurrent use.
type Governor struct {
	max      int
	requests *bucket // nil without a pace
	tokens   *bucket // nil without a pace

	turn    chan struct{} // held by the request that is next; the others wait for it in order
	changed chan struct{} // wakes the next request

	mu      sync.Mutex
	running int       // admitted requests
	resume  time.Time // nothing is admitted before

	allowed int       // concurrent requests; at least 1
	good    int       // answers since allowed changed
	slowed  time.Time // when allowed was last lowered; zero before
}

// defaultConcurrent is what most services allow in their lowest paid tier, and more than a
// machine usually needs.
const defaultConcurrent = 16

// NewGovernor returns a governor for one service and key.
func NewGovernor(o GovernorOptions) *Governor {
	g := &Governor{max: o.MaxConcurrent, turn: make(chan struct{}, 1), changed: make(chan struct{}, 1)}
	if g.max <= 0 {
		g.max = defaultConcurrent
	}
	g.allowed = min(g.max, defaultConcurrent)
	if perMinute := float64(o.RequestsPerMinute); perMinute > 0 {
		// Services with limits by the minute enforce them by the second, too.
		g.requests = newBucket(max(1, perMinute/60), perMinute/60)
	}
	if perMinute := float64(o.TokensPerMinute); perMinute > 0 {
		g.tokens = newBucket(perMinute, perMinute/60)
	}
	return g
}

// HeldAfter is how long a request, or a step, waits before that is said.
const HeldAfter = time.Second

// enter waits until a request of about so many tokens is admitted, and tells of a wait that lasts.
func (g *Governor) enter(ctx context.Context, tokens float64, tell func(Event)) (began time.Time, err error) {
	lasts := time.NewTimer(HeldAfter)
	defer lasts.Stop()
	turn := g.turn
	for ctx.Err() == nil {
		var changed <-chan struct{}
		var passed <-chan time.Time
		if turn == nil { // this one is the next
			began, wait, err := g.admit(tokens)
			if !began.IsZero() || err != nil {
				return began, err
			}
			changed, passed = g.changed, time.After(wait)
		}
		select {
		case turn <- struct{}{}:
			turn = nil
			defer func() { <-g.turn }()
		case <-changed:
		case <-passed:
		case <-lasts.C:
			tell(Event{Type: Held, Until: g.heldUntil(tokens)})
			defer tell(Event{Type: Admitted})
		case <-ctx.Done():
		}
	}
	return began, ctx.Err()
}

// admit admits a request if it may begin now. Otherwise it returns after which time it may, unless
// something changes before.
func (g *Governor) admit(tokens float64) (began time.Time, wait time.Duration, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	switch wait = g.holdUp(now, tokens); {
	case wait > longestWait:
		return began, 0, overLimit(wait)
	case g.running >= g.allowed:
		return began, longestWait, nil // one that ends wakes it
	case wait > 0:
		return began, wait, nil
	}
	g.running++
	g.requests.use(now, 1)
	g.tokens.use(now, tokens)
	return now, 0, nil
}

// heldUntil returns until when limits hold up a request at least; zero: they do not.
func (g *Governor) heldUntil(tokens float64) time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	if wait := g.holdUp(now, tokens); wait > 0 {
		return now.Add(wait)
	}
	return time.Time{}
}

// holdUp returns how long a request has to wait for limits.
func (g *Governor) holdUp(now time.Time, tokens float64) time.Duration {
	return max(0, g.resume.Sub(now), g.requests.wait(now, 1), g.tokens.wait(now, tokens))
}

// wake has the next request try again.
func (g *Governor) wake() {
	select {
	case g.changed <- struct{}{}:
	default: // it will anyway
	}
}

// leave ends an admitted request.
func (g *Governor) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running--
	g.wake()
}

// overLimit is the error for a request that would have to wait too long.
func overLimit(wait time.Duration) *Error {
	return &Error{
		Kind: KindRateLimited, Retryable: true, RetryAfter: wait,
		Message: fmt.Sprintf("waiting: the rate limit of the service allows no request for %v", wait.Round(time.Second)),
	}
}

// learn handles the result of a request that began at the given time, and used so many tokens beyond
// its estimate, or, if negative, less.
func (g *Governor) learn(began time.Time, beyond float64, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	g.tokens.use(now, beyond)
	var e *Error
	switch {
	case err == nil:
		g.speedUp()
	case errors.As(err, &e) && e.tooMuch():
		g.pause(e)
		// Requests that run at the same time are refused together.
		if began.After(g.slowed) {
			g.slowed, g.good, g.allowed = now, 0, max(1, min(g.allowed, g.running)/2)
		}
	}
	g.wake()
}

// speedUp handles a good answer.
func (g *Governor) speedUp() {
	round := g.allowed
	if g.slowed.IsZero() {
		round = 1
	}
	if g.good++; g.good >= round && g.allowed < g.max {
		g.good = 0
		g.allowed++
	}
}

// tooMuch reports whether an error says that the service can't keep up.
func (e *Error) tooMuch() bool {
	return e.Retryable && (e.Kind == KindRateLimited || e.Kind == KindOverloaded)
}

// pause delays all requests for as long as the service asks, and for a moment where it
// names no time. Without a time an overloaded service gets no pause: others use it, too.
func (g *Governor) pause(e *Error) {
	const usual = time.Second
	wait := e.RetryAfter
	if wait <= 0 && e.Kind == KindRateLimited {
		wait = usual
	}
	if resume := time.Now().Add(wait); resume.After(g.resume) {
		g.resume = resume
	}
}
