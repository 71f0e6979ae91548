package providers

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"
)

// GovernorOptions bound what is asked of one service at a time.
type GovernorOptions struct {
	MaxConcurrent     int // requests under way at once; 0 is 16
	RequestsPerMinute int // requests begun, spread evenly; 0 leaves it to the service to say so
}

// A Governor spaces the requests of everything in a run that uses the same
// service with the same key. When the service says that it is too much, all of
// them hold back for as long as it asks, and half as many go on at once; with
// each round of answers that go well one more is let through again, up to the
// maximum. It is safe for concurrent use.
type Governor struct {
	max   int
	slots *semaphore.Weighted
	pace  *rate.Limiter // nil without a pace

	mu      sync.Mutex
	allowed int       // requests that may be under way; from 1 to max
	owed    int       // slots to be kept when they come back, until max-allowed are
	running int       // requests under way
	good    int       // answers since allowed changed
	resume  time.Time // nothing is begun before
	slowed  time.Time // when allowed was last lowered
}

// defaultConcurrent is what most services' lowest paid tier bears, and more
// than a person's machine has work for.
const defaultConcurrent = 16

// NewGovernor returns a governor for one service and key.
func NewGovernor(o GovernorOptions) *Governor {
	g := &Governor{max: o.MaxConcurrent}
	if g.max <= 0 {
		g.max = defaultConcurrent
	}
	g.allowed = g.max
	g.slots = semaphore.NewWeighted(int64(g.max))
	if perMinute := o.RequestsPerMinute; perMinute > 0 {
		// Services that count by the minute look at each second, too.
		burst := max(1, perMinute/60)
		g.pace = rate.NewLimiter(rate.Limit(float64(perMinute)/60), burst)
	}
	return g
}

// Limit returns a model whose requests wait until g lets them through. A wait
// of more than two minutes that the service has asked for is
// [KindRateLimited] at once.
func Limit(m Model, g *Governor) Model { return &limited{model: m, governor: g} }

type limited struct {
	model    Model
	governor *Governor
}

func (l *limited) Info() Info { return l.model.Info() }

func (l *limited) Stream(ctx context.Context, req Request, emit func(Event)) (Message, error) {
	began, err := l.governor.enter(ctx)
	if err != nil {
		return Message{}, l.named(ctx, err)
	}
	defer l.governor.leave()
	answer, err := l.model.Stream(ctx, req, emit)
	l.governor.learn(began, err)
	return answer, err
}

// named gives an error of the governor its model.
func (l *limited) named(ctx context.Context, err error) error {
	ref := l.model.Info().Ref
	var e *Error
	if ctx.Err() == nil && errors.As(err, &e) {
		e.Model = ref
		return e
	}
	return Cancelled(ctx, ref)
}

// enter waits for a slot, for the pace, and for the end of a pause. A request
// that finds a pause gives its slot back first: when the pause is over, no more
// than are allowed by then must start.
func (g *Governor) enter(ctx context.Context) (began time.Time, err error) {
	for paced := false; ; paced = true {
		if err := g.slots.Acquire(ctx, 1); err != nil {
			return began, err
		}
		if !paced && g.pace != nil && !g.keepPace(ctx) {
			g.giveBack()
			return began, ctx.Err()
		}
		pause := g.begin()
		if pause <= 0 {
			return time.Now(), nil
		}
		g.giveBack()
		if pause > longestWait {
			return began, &Error{
				Kind: KindRateLimited, Retryable: true, RetryAfter: pause,
				Message: fmt.Sprintf("held back: the service has asked for no requests for %v", pause.Round(time.Second)),
			}
		}
		if !sleep(ctx, pause) {
			return began, ctx.Err()
		}
	}
}

func (g *Governor) keepPace(ctx context.Context) bool {
	turn := g.pace.Reserve()
	if sleep(ctx, turn.Delay()) {
		return true
	}
	turn.Cancel()
	return false
}

// begin counts a request as under way, or returns what is left of a pause.
func (g *Governor) begin() (pause time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if pause = time.Until(g.resume); pause > 0 {
		return pause
	}
	g.running++
	return 0
}

// leave ends a request that was begun.
func (g *Governor) leave() {
	g.mu.Lock()
	g.running--
	g.mu.Unlock()
	g.giveBack()
}

// giveBack frees a slot, unless fewer are to be used from now on.
func (g *Governor) giveBack() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.owed > 0 {
		g.owed--
		return
	}
	g.slots.Release(1)
}

// learn takes what came of a request that began at the given time.
func (g *Governor) learn(began time.Time, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	var e *Error
	switch {
	case err == nil:
		g.speedUp()
	case errors.As(err, &e) && e.Retryable && (e.Kind == KindRateLimited || e.Kind == KindOverloaded):
		g.slowDown(began, e.RetryAfter)
	}
}

// slowDown holds everybody back. Requests that were under way together are
// refused together: only the first refusal of them halves what is allowed.
func (g *Governor) slowDown(began time.Time, asked time.Duration) {
	const unasked = time.Second // the pause of a service that names none
	if asked <= 0 {
		asked = unasked
	}
	now := time.Now()
	if resume := now.Add(asked); resume.After(g.resume) {
		g.resume = resume
	}
	if began.Before(g.slowed) || began.Equal(g.slowed) {
		return
	}
	g.slowed, g.good = now, 0
	lowered := max(1, min(g.allowed, g.running)/2)
	for ; g.allowed > lowered; g.allowed-- {
		if !g.slots.TryAcquire(1) {
			g.owed++
		}
	}
}

// speedUp lets one more request through after a round of good answers.
func (g *Governor) speedUp() {
	if g.allowed == g.max {
		return
	}
	if g.good++; g.good < g.allowed {
		return
	}
	g.good = 0
	g.allowed++
	if g.owed > 0 {
		g.owed--
		return
	}
	g.slots.Release(1)
}
