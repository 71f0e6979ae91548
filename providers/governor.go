package providers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"
)

// GovernorOptions limit the requests to one service.
type GovernorOptions struct {
	MaxConcurrent     int // concurrent requests; 0 is 16
	RequestsPerMinute int // spread evenly; 0: only the service's own limits count
	TokensPerMinute   int // in and out; 0: only the service's own limits count
}

// A Governor schedules all requests of a run to one service with one key. It admits them
// in the order in which they come, except that those that wait for a limit of their model
// let others pass. Requests that wait don't count as concurrent.
//
// It follows the options, the limits that the service reports in the headers of its
// answers, and its refusals. After a refusal all requests wait as long as the service
// asks, and then half as many run at once, or three quarters where the service is
// overloaded. Each round of good answers admits one more, up to where the service refused
// lately, and more slowly from there to the maximum. It is safe for concurrent use.
type Governor struct {
	max      int
	requests *bucket // nil without a pace
	tokens   *bucket // nil without a pace

	mu      sync.Mutex
	queue   []*waiter
	running int                                 // admitted requests
	wake    *time.Timer                         // calls advance at the end of a wait; nil before the first wait
	resume  time.Time                           // nothing is admitted before
	told    map[string]map[limitName]*allowance // by model: most services count each by itself

	congestion
	ended, refused int // requests that ended, and how many of them were too much for the service
}

// A waiter is a request in the queue.
type waiter struct {
	model  string
	tokens float64
	done   chan struct{} // closed once it is admitted, or refused with err
	began  time.Time
	err    error
}

// defaultConcurrent is what most services allow in their lowest paid tier, and more than a
// machine usually needs.
const defaultConcurrent = 16

// NewGovernor returns a governor for one service and key.
func NewGovernor(o GovernorOptions) *Governor {
	g := &Governor{max: o.MaxConcurrent, told: map[string]map[limitName]*allowance{}}
	if g.max <= 0 {
		g.max = defaultConcurrent
	}
	g.congestion = congestion{allowed: min(g.max, defaultConcurrent), ceiling: g.max}
	if perMinute := float64(o.RequestsPerMinute); perMinute > 0 {
		// Services with limits by the minute enforce them by the second, too.
		g.requests = newBucket(max(1, perMinute/60), perMinute/60)
	}
	if perMinute := float64(o.TokensPerMinute); perMinute > 0 {
		g.tokens = newBucket(perMinute, perMinute/60)
	}
	return g
}

// heldAfter is how long a request waits before it is said.
const heldAfter = time.Second

// enter waits until a request of about so many tokens to a model is admitted, and tells of a wait that
// lasts.
func (g *Governor) enter(ctx context.Context, model string, tokens float64, tell func(Event)) (began time.Time, err error) {
	if err := ctx.Err(); err != nil {
		return began, err
	}
	w := &waiter{model: model, tokens: tokens, done: make(chan struct{})}
	g.mu.Lock()
	g.queue = append(g.queue, w)
	g.advance()
	g.mu.Unlock()
	lasts := time.NewTimer(heldAfter)
	defer lasts.Stop()
	for {
		select {
		case <-lasts.C:
			tell(Event{Type: Held, Until: g.heldUntil(w)})
			defer tell(Event{Type: Admitted})
		case <-w.done:
			return w.began, w.err
		case <-ctx.Done():
			g.abandon(w)
			return began, ctx.Err()
		}
	}
}

// heldUntil returns until when limits hold a waiter up at least; zero: they do not.
func (g *Governor) heldUntil(w *waiter) time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	if wait, _ := g.holdUp(now, w); wait > 0 {
		return now.Add(wait)
	}
	return time.Time{}
}

// abandon withdraws a request, which may have been admitted meanwhile.
func (g *Governor) abandon(w *waiter) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if i := slices.Index(g.queue, w); i >= 0 {
		g.queue = slices.Delete(g.queue, i, i+1)
	} else if w.err == nil {
		g.running--
	}
	g.advance()
}

// leave ends an admitted request.
func (g *Governor) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running--
	g.advance()
}

// advance admits all requests that may begin now, and sets the timer for the next one. When
// too many run, leave calls it again. A request that waits for a limit of its model is
// overtaken by requests to other models, but never by one to the same.
func (g *Governor) advance() {
	now, soonest := time.Now(), time.Duration(0)
	waiting := map[string]bool{} // models
	for i := 0; i < len(g.queue); {
		w := g.queue[i]
		wait, forAll := g.holdUp(now, w)
		switch {
		case forAll && wait > longestWait:
			w.err = overLimit(wait)
		case g.running >= g.allowed:
			return
		case forAll && wait > 0:
			g.wakeAfter(soonest, wait)
			return
		case wait > 0 || waiting[w.model]:
			waiting[w.model] = true
			soonest = sooner(soonest, wait)
			i++
			continue
		default:
			w.began = now
			g.begin(now, w)
		}
		g.queue = slices.Delete(g.queue, i, i+1)
		close(w.done)
	}
	g.wakeAfter(soonest)
}

// holdUp returns how long a request has to wait for limits, and whether all requests do.
func (g *Governor) holdUp(now time.Time, w *waiter) (wait time.Duration, forAll bool) {
	wait = max(0, g.resume.Sub(now), g.requests.wait(now, 1), g.tokens.wait(now, w.tokens))
	if wait > 0 {
		return wait, true
	}
	for name, a := range g.told[w.model] {
		wait = max(wait, a.wait(now, name.share(w.tokens)))
	}
	return wait, false
}

func (g *Governor) begin(now time.Time, w *waiter) {
	g.running++
	g.requests.use(now, 1)
	g.tokens.use(now, w.tokens)
	for name, a := range g.told[w.model] {
		a.use(now, name.share(w.tokens))
	}
}

// wakeAfter sets the timer to the shortest of some waits above 0.
func (g *Governor) wakeAfter(waits ...time.Duration) {
	wait := sooner(waits...)
	switch {
	case wait <= 0:
	case g.wake != nil:
		g.wake.Reset(wait)
	default:
		g.wake = time.AfterFunc(wait, func() {
			g.mu.Lock()
			defer g.mu.Unlock()
			g.advance()
		})
	}
}

// sooner returns the shortest of the waits that are above 0; 0 if none is.
func sooner(waits ...time.Duration) (shortest time.Duration) {
	for _, wait := range waits {
		if wait > 0 && (shortest == 0 || wait < shortest) {
			shortest = wait
		}
	}
	return shortest
}

// overLimit is the error for a request that would have to wait too long.
func overLimit(wait time.Duration) *Error {
	return &Error{
		Kind: KindRateLimited, Retryable: true, RetryAfter: wait,
		Message: fmt.Sprintf("waiting: the rate limit of the service allows no request for %v", wait.Round(time.Second)),
	}
}

// settle corrects the estimate of a request by the tokens that were used beyond it, or,
// if negative, not used. Limits that the service reports come with each answer.
func (g *Governor) settle(beyond float64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.tokens.use(time.Now(), beyond)
}

// hear records the limits that the service reports for a model.
func (g *Governor) hear(model string, header http.Header) {
	now := time.Now()
	said := allowances(header, now)
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(said) > 0 {
		g.told[model] = said
		g.advance()
	}
}

// learn handles the result of a request that began at the given time.
func (g *Governor) learn(began time.Time, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	var e *Error
	now := time.Now()
	g.ended++
	switch {
	case err == nil:
		g.congestion.ease(now, g.max)
	case errors.As(err, &e) && e.tooMuch():
		g.refused++
		g.pause(e)
		if e.Kind == KindRateLimited {
			g.congestion.tighten(began, now, g.running)
		} else {
			g.congestion.relieve(began, now, g.running)
		}
	}
	g.advance()
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

// counted adds the number of refusals so far to a refusal.
func (g *Governor) counted(err error) error {
	var e *Error
	if !errors.As(err, &e) || !e.tooMuch() {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	counted := *e
	counted.Refused, counted.Asked, counted.Err = g.refused, g.ended, err
	return &counted
}
