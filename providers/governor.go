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

// GovernorOptions bound what is asked of one service at a time.
type GovernorOptions struct {
	MaxConcurrent     int // requests under way at once; 0 is 16
	RequestsPerMinute int // requests begun, spread evenly; 0 leaves it to the service to say so
	TokensPerMinute   int // in and out; 0 leaves it to the service to say so
}

// A Governor spaces the requests of everything in a run that uses the same
// service with the same key. It lets them through in the order in which they
// came, but for those that wait for a limit of their model alone; none that waits
// holds a place of those under way.
//
// What it goes by is what the options say, and what the service says: what is
// left of its limits, in the headers of each answer, and its refusals. When one
// says that it is too much, all requests hold back for as long as it asks, and
// half as many go on at once, or three quarters where the service is overloaded;
// with each round of answers that go well one more is let through again, up to
// where the service refused of late, and more slowly from there to the maximum.
// It is safe for concurrent use.
type Governor struct {
	max      int
	requests *bucket // nil without a pace
	tokens   *bucket // nil without a pace

	mu      sync.Mutex
	queue   []*waiter
	running int                                 // requests under way
	wake    *time.Timer                         // lets the first of the queue through when its time has come; nil before the first wait
	resume  time.Time                           // nothing is begun before
	told    map[string]map[limitName]*allowance // by model: most services count for each

	congestion
	asked, refused int // requests that ended, and those of them that were too much for the service
}

// A waiter is a request in the queue.
type waiter struct {
	model  string
	tokens float64
	done   chan struct{} // closed when it was let through, or refused with err
	began  time.Time
	err    error
}

// defaultConcurrent is what most services' lowest paid tier bears, and more
// than a person's machine has work for.
const defaultConcurrent = 16

// NewGovernor returns a governor for one service and key.
func NewGovernor(o GovernorOptions) *Governor {
	g := &Governor{max: o.MaxConcurrent, told: map[string]map[limitName]*allowance{}}
	if g.max <= 0 {
		g.max = defaultConcurrent
	}
	g.congestion = congestion{allowed: min(g.max, defaultConcurrent), ceiling: g.max}
	if perMinute := float64(o.RequestsPerMinute); perMinute > 0 {
		// Services that count by the minute look at each second, too.
		g.requests = newBucket(max(1, perMinute/60), perMinute/60)
	}
	if perMinute := float64(o.TokensPerMinute); perMinute > 0 {
		g.tokens = newBucket(perMinute, perMinute/60)
	}
	return g
}

// enter waits until a request of about so many tokens to a model may begin.
func (g *Governor) enter(ctx context.Context, model string, tokens float64) (began time.Time, err error) {
	if err := ctx.Err(); err != nil {
		return began, err
	}
	w := &waiter{model: model, tokens: tokens, done: make(chan struct{})}
	g.mu.Lock()
	g.queue = append(g.queue, w)
	g.advance()
	g.mu.Unlock()
	select {
	case <-w.done:
		return w.began, w.err
	case <-ctx.Done():
		g.abandon(w)
		return began, ctx.Err()
	}
}

// abandon takes a request back, which may have been let through just now.
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

// leave ends a request that was let through.
func (g *Governor) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running--
	g.advance()
}

// advance lets through all that may begin now, and sees to it that it is called
// again when the next one may. What has to wait for a place is let on by leave.
// What waits for a limit of its model is passed by requests to other models, and
// by none to the same one.
func (g *Governor) advance() {
	now, soonest := time.Now(), time.Duration(0)
	waiting := map[string]bool{} // models
	for i := 0; i < len(g.queue); {
		w := g.queue[i]
		wait, forAll := g.holdUp(now, w)
		switch {
		case forAll && wait > longestWait:
			w.err = heldBack(wait)
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

// holdUp is how long a request has to wait, places aside, and whether all do.
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
	g.requests.take(now, 1)
	g.tokens.take(now, w.tokens)
	for name, a := range g.told[w.model] {
		a.take(now, name.share(w.tokens))
	}
}

// wakeAfter sees to it that advance is called after the first of some waits;
// those that are 0 are none.
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

// heldBack refuses a request that would have to wait too long.
func heldBack(wait time.Duration) *Error {
	return &Error{
		Kind: KindRateLimited, Retryable: true, RetryAfter: wait,
		Message: fmt.Sprintf("held back: the service's limits allow no request for %v", wait.Round(time.Second)),
	}
}

// settle counts the tokens that were used beyond the estimate, or gives those
// back that were not. What the service says of its limits needs no settling: it
// comes anew with each answer.
func (g *Governor) settle(beyond float64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.tokens.take(time.Now(), beyond)
}

// hear takes in what the service says of its limits for a model.
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

// learn takes in what came of a request that began at the given time.
func (g *Governor) learn(began time.Time, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	var e *Error
	now := time.Now()
	g.asked++
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

// pause holds everybody back for as long as the service asks. One that limits us
// and names no time is left alone for a moment all the same; one that is
// overloaded is asked by others, too.
func (g *Governor) pause(e *Error) {
	const unasked = time.Second
	asked := e.RetryAfter
	if asked <= 0 && e.Kind == KindRateLimited {
		asked = unasked
	}
	if resume := time.Now().Add(asked); resume.After(g.resume) {
		g.resume = resume
	}
}

// counted adds to a refusal how many there were until now.
func (g *Governor) counted(err error) error {
	var e *Error
	if !errors.As(err, &e) || !e.tooMuch() {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	counted := *e
	counted.Refused, counted.Asked, counted.Err = g.refused, g.asked, err
	return &counted
}
